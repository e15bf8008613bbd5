/** What is used of template engines that bring no types. */
declare module "mustache" {
  interface Writer {
    readonly parse: (template: string) => unknown
    readonly render: (
      template: string,
      view: object,
      partials: undefined,
      config: { readonly escape: (value: string) => string }
    ) => string
  }
  const Mustache: { readonly Writer: new () => Writer }
  export default Mustache
}

declare module "nunjucks" {
  interface Template {
    readonly render: (view: object) => string
  }
  interface Environment {
    readonly opts: object
  }
  const nunjucks: {
    readonly Environment: new (
      loader: null,
      options: { readonly autoescape: boolean; readonly throwOnUndefined: boolean }
    ) => Environment
    readonly compile: (template: string, environment: Environment) => Template
  }
  export default nunjucks
}
