/**
 * SHA-256 (FIPS 180-4) of a text in UTF-8.
 *
 * Here because what needs it is pure and synchronous and runs wherever `effect` does: the digests of `effect/crypto`
 * are effects, since those of the web are promises, and `node:crypto` is of Node alone.
 */

const isPrime = (n: number): boolean => {
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return true
}

/** The first 32 bits of the fractional part of a root. A root takes five bits at most, so that a double has 16 to spare. */
const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0

const primes: Array<number> = []
for (let n = 2; primes.length < 64; n++) if (isPrime(n)) primes.push(n)

const rounds = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)))
const initial = Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** The text's bytes, a one bit, zeros up to a multiple of 64 bytes, and the length in bits as the last eight. */
const padded = (text: string): DataView => {
  const bytes = new TextEncoder().encode(text)
  const view = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64))
  new Uint8Array(view.buffer).set(bytes)
  view.setUint8(bytes.length, 0x80)
  view.setBigUint64(view.byteLength - 8, BigInt(bytes.length) * 8n)
  return view
}

const expand = (schedule: Int32Array, block: DataView, offset: number): void => {
  for (let t = 0; t < 16; t++) schedule[t] = block.getInt32(offset + 4 * t)
  for (let t = 16; t < 64; t++) {
    const near = schedule[t - 2]!
    const far = schedule[t - 15]!
    const s1 = rotate(near, 17) ^ rotate(near, 19) ^ (near >>> 10)
    const s0 = rotate(far, 7) ^ rotate(far, 18) ^ (far >>> 3)
    schedule[t] = (s1 + schedule[t - 7]! + s0 + schedule[t - 16]!) | 0
  }
}

const compress = (state: Int32Array, schedule: Int32Array): void => {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + s1 + ((e & f) ^ (~e & g)) + rounds[t]! + schedule[t]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = state[index]! + word
}

/** The digest in hexadecimal, lower case. Lone surrogates count as U+FFFD, as everywhere in UTF-8. */
export const sha256 = (text: string): string => {
  const message = padded(text)
  const state = initial.slice()
  const schedule = new Int32Array(64)
  for (let offset = 0; offset < message.byteLength; offset += 64) {
    expand(schedule, message, offset)
    compress(state, schedule)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, "0")).join("")
}
