/**
 * An immutable map from integers (0 up to 2³¹) to values, in the order of its keys.
 *
 * A tree of 32 slots a node: to read, set or remove one key looks at a node for each five bits of the largest key, four
 * of them at 100,000, and leaves earlier maps as they are. Nothing in `effect` has both an order and that cost.
 */

const bits = 5
const width = 1 << bits
const mask = width - 1
const keys = 2 ** 31

class Leaf<A> {
  readonly slots: ReadonlyArray<A | undefined>
  constructor(slots: ReadonlyArray<A | undefined>) {
    this.slots = slots
  }
}

class Branch<A> {
  readonly slots: ReadonlyArray<Node<A> | undefined>
  constructor(slots: ReadonlyArray<Node<A> | undefined>) {
    this.slots = slots
  }
}

type Node<A> = Leaf<A> | Branch<A>

export interface Sparse<out A> {
  /** How many keys have a value. */
  readonly size: number
  /** How many bits of a key the nodes below the root take. */
  readonly shift: number
  readonly root: Node<A> | undefined
}

const nothing: Sparse<never> = { size: 0, shift: 0, root: undefined }

export const empty = <A>(): Sparse<A> => nothing

export const get = <A>(self: Sparse<A>, key: number): A | undefined => {
  // The bits of a key that is no integer from 0 are those of another one.
  if (key >= 2 ** (self.shift + bits) || key >>> 0 !== key) return undefined
  let node = self.root
  for (let shift = self.shift; node instanceof Branch; shift -= bits) node = node.slots[(key >>> shift) & mask]
  return node?.slots[key & mask]
}

const replaced = <S>(
  slots: ReadonlyArray<S | undefined>,
  at: number,
  value: S | undefined
): ReadonlyArray<S | undefined> => {
  const copy = slots.slice()
  // Never a hole: those make arrays slow.
  while (copy.length < at) copy.push(undefined)
  copy[at] = value
  return copy
}

const setIn = <A>(node: Node<A> | undefined, shift: number, key: number, value: A): Node<A> => {
  const at = (key >>> shift) & mask
  if (shift === 0) return new Leaf(replaced(node instanceof Leaf ? node.slots : [], at, value))
  const slots = node instanceof Branch ? node.slots : []
  return new Branch(replaced(slots, at, setIn(slots[at], shift - bits, key, value)))
}

/** The root of a map whose keys take more bits. */
const raised = <A>({ root, shift }: Sparse<A>, to: number): Node<A> | undefined => {
  let node = root
  for (let at = shift; node !== undefined && at < to; at += bits) node = new Branch([node])
  return node
}

export const set = <A>(self: Sparse<A>, key: number, value: A): Sparse<A> => {
  if (key >= keys) throw new RangeError(`a map has keys below ${keys}, not ${key}`)
  let { shift } = self
  while (key >= 2 ** (shift + bits)) shift += bits
  const isNew = get(self, key) === undefined
  return { size: isNew ? self.size + 1 : self.size, shift, root: setIn(raised(self, shift), shift, key, value) }
}

const includesNode = <A>(node: Node<A> | undefined, other: Node<A> | undefined): boolean => {
  if (other === undefined || node === other) return true
  if (node instanceof Leaf && other instanceof Leaf)
    return other.slots.every((value, i) => value === undefined || value === node.slots[i])
  return (
    node instanceof Branch &&
    other instanceof Branch &&
    other.slots.every((below, i) => includesNode(node.slots[i], below))
  )
}

/** Whether a map has the very values of another one under all its keys. Of nodes that both have nothing is looked at. */
export const includes = <A>(self: Sparse<A>, other: Sparse<A>): boolean => {
  const shift = Math.max(self.shift, other.shift)
  return includesNode(raised(self, shift), raised(other, shift))
}

const isBare = (slots: ReadonlyArray<unknown>): boolean => slots.every((slot) => slot === undefined)

/** What is left of a node: nothing if it held nothing else. */
const removeIn = <A>(node: Node<A>, shift: number, key: number): Node<A> | undefined => {
  const at = (key >>> shift) & mask
  if (node instanceof Leaf) {
    const slots = replaced(node.slots, at, undefined)
    return isBare(slots) ? undefined : new Leaf(slots)
  }
  const child = node.slots[at]
  const slots = replaced(node.slots, at, child === undefined ? undefined : removeIn(child, shift - bits, key))
  return isBare(slots) ? undefined : new Branch(slots)
}

export const remove = <A>(self: Sparse<A>, key: number): Sparse<A> =>
  self.root === undefined || get(self, key) === undefined
    ? self
    : { size: self.size - 1, shift: self.shift, root: removeIn(self.root, self.shift, key) }

/** The value of the lowest key. */
export const first = <A>(self: Sparse<A>): A | undefined => {
  let node = self.root
  while (node instanceof Branch) node = node.slots.find((slot) => slot !== undefined)
  return node?.slots.find((slot) => slot !== undefined)
}

/** The value of the highest key. */
export const last = <A>(self: Sparse<A>): A | undefined => {
  let node = self.root
  while (node instanceof Branch) node = node.slots.findLast((slot) => slot !== undefined)
  return node?.slots.findLast((slot) => slot !== undefined)
}

function* descend<A>(node: Node<A>): Generator<A> {
  for (let i = node.slots.length - 1; i >= 0; i--) {
    const slot = node.slots[i]
    if (slot === undefined) continue
    if (slot instanceof Leaf || slot instanceof Branch) yield* descend(slot)
    else yield slot
  }
}

/** The values from the highest key down, as far as they are asked for. */
export const descending = <A>(self: Sparse<A>): Iterable<A> => (self.root === undefined ? [] : descend(self.root))

function* ascend<A>(node: Node<A>, shift: number, start: number, from: number): Generator<A> {
  for (let i = 0; i < node.slots.length; i++) {
    const slot = node.slots[i]
    const low = start + i * 2 ** shift
    if (slot === undefined || low + 2 ** shift <= from) continue
    if (slot instanceof Leaf || slot instanceof Branch) yield* ascend(slot, shift - bits, low, from)
    else yield slot
  }
}

/** The values from a key up, as far as they are asked for. */
export const ascending = <A>(self: Sparse<A>, from: number): Iterable<A> =>
  self.root === undefined ? [] : ascend(self.root, self.shift, 0, from)

const collect = <A>(node: Node<A>, shift: number, start: number, from: number, to: number, into: Array<A>): void => {
  for (let i = 0; i < node.slots.length; i++) {
    const slot = node.slots[i]
    const low = start + i * 2 ** shift
    if (slot === undefined || low > to || low + 2 ** shift <= from) continue
    if (slot instanceof Leaf || slot instanceof Branch) collect(slot, shift - bits, low, from, to, into)
    else into.push(slot)
  }
}

/** The values from one key to another, both included, in the order of their keys. */
export const values = <A>(self: Sparse<A>, from = 0, to = keys): Array<A> => {
  const found: Array<A> = []
  if (self.root !== undefined) collect(self.root, self.shift, 0, from, to, found)
  return found
}
