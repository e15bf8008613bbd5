/** The composition that `preamble init` writes: small, and with an example of everything that most prompts need. */
export const starter = `\
# The system prompt of an agent. What the model sees: preamble render FILE
# Every key is optional; no other key is allowed.
preamble: 1

# The persona stands first and last. {{model}} is a variable.
persona:
  prefix: You are a careful software engineer. You run on {{model}}.
  suffix: Your working directory is {{cwd}}.

# For one run: --set model=NAME. From the environment: { env: NAME }
variables:
  model: a large language model
  cwd: the root of the repository

# Texts of the prompt, sorted by order. From a file: { file: rules.md }
sections:
  - name: rules
    order: 500
    # |- keeps line breaks, and adds none at the end.
    text: |-
      # Rules

      - Read a file before you edit it.
      - Run the tests that concern your change.

  - name: placeholders
    order: 600
    # Without interpolation, braces are braces.
    interpolate: false
    text: In our page templates, a placeholder is written {{ title }}.

  - name: tool:read_file
    order: 1000
    # Only in the prompt while the model can call the tool.
    requires: [read_file]
    text: Read files with \`read_file\`, not with a shell command.

# What changes between steps. It is sent after the history, so that the prompt
# before it stays the same and the provider need not read it again.
contexts:
  - name: approval
    order: 115
    text: Ask before you delete anything.

tools:
  - name: read_file
    description: Read a text file.
    parameters:
      type: object
      properties:
        path: { type: string, description: From the working directory on. }
      required: [path]
      additionalProperties: false

# A scope sees all of the above, but for what it replaces by name.
# preamble render FILE --scope reviewer
scopes:
  reviewer:
    sections:
      - name: rules
        order: 500
        text: You review changes. Name the file and line of each finding.
`
