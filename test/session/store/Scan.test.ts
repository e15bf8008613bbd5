import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type Damage, encode, type Line, parse } from "../../../src/session/store/internal/line.ts"
import * as scan from "../../../src/session/store/internal/scan.ts"
import { seeded } from "../../support/random.ts"
import { runs } from "../../support/runs.ts"
import { patience, Tally } from "../../support/check.ts"
import { anyEvent, headerOf, note } from "./support.ts"

const utf8 = new TextEncoder()

/** A file of a header and these appends, and where each of them ends. */
const fileOf = (appends: ReadonlyArray<ReadonlyArray<object>>) => {
  let bytes = utf8.encode("")
  let checksum = 0
  const ends: Array<number> = []
  for (const rows of [[headerOf("s")], ...appends]) {
    const { checksum: after, text } = encode(rows, checksum)
    checksum = after
    bytes = Uint8Array.from([...bytes, ...utf8.encode(text)])
    ends.push(bytes.length)
  }
  return { bytes, ends }
}

interface Read {
  readonly lines: ReadonlyArray<Line>
  readonly torn: scan.Torn | undefined
  readonly damage: Damage | undefined
}

/** Reads a file in pieces of the given sizes. */
const read = (bytes: Uint8Array, sizes: () => number): Read => {
  const lines: Array<Line> = []
  let state = scan.start
  for (let from = 0; from < bytes.length;) {
    const to = from + sizes()
    const step = scan.push(state, bytes.slice(from, to))
    lines.push(...step.lines)
    if (step.damage !== undefined) return { lines, torn: undefined, damage: step.damage }
    state = step.scan
    from = to
  }
  const end = scan.finish(state)
  if (Result.isFailure(end)) return { lines, torn: undefined, damage: end.failure }
  return { lines: [...lines, ...end.success.lines], torn: end.success.torn, damage: undefined }
}

const whole = (bytes: Uint8Array): Read => read(bytes, () => bytes.length)

const rowsOf = ({ lines }: Read): ReadonlyArray<unknown> => lines.map((line) => Result.getOrThrow(parse(line)))

const small = [[note(0)], [note(1, '","crc":"0:00000000"}'), note(2), note(3, "é\u2028")], [note(4)]]
const smallRows = [headerOf("s"), ...small.flat()]

/** The lines of the small file, each with its line feed. */
const smallLines = () => new TextDecoder().decode(fileOf(small).bytes).split(/(?<=\n)/u)

describe("a line", () => {
  it("is the row as JSON, with one more member at its end", () => {
    const [header = "", first = ""] = smallLines()
    assert.match(header, /^\{"type":"session",.*,"crc":"0:[0-9a-f]{8}"\}\n$/u)
    assert.deepStrictEqual(JSON.parse(first), { ...note(0), crc: /0:[0-9a-f]{8}/u.exec(first)?.[0] })
  })

  it("has a checksum that anyone can compute: CRC-32 of every byte before it", () => {
    assert.strictEqual(crc(utf8.encode("123456789")), "cbf43926", "the check value of CRC-32")
    const { bytes } = fileOf(small)
    const text = new TextDecoder("latin1").decode(bytes)
    let digits = 0
    for (const match of text.matchAll(/[0-9a-f]{8}(?="\}\n)/gu)) {
      assert.strictEqual(match[0], crc(bytes.subarray(0, match.index)))
      digits++
    }
    assert.strictEqual(digits, smallRows.length)
  })
})

/** The checksum by its definition, bit by bit. */
const crc = (bytes: Uint8Array): string => {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ((sum ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0")
}

describe("the lines of a file", () => {
  it("come as they were written, whatever pieces the bytes come in", () => {
    for (let seed = 0; seed < runs(60, 2000); seed++) {
      const random = seeded(seed)
      let seq = 0
      const appends = Array.from({ length: random.below(6) }, () =>
        Array.from({ length: 1 + random.below(4) }, () => anyEvent(random, seq++))
      )
      const { bytes } = fileOf(appends)
      const got = read(bytes, () => 1 + random.below(random.pick([1, 20, 1000])))
      assert.deepStrictEqual(rowsOf(got), [headerOf("s"), ...appends.flat()])
      assert.deepStrictEqual([got.torn, got.damage], [undefined, undefined])
      assert.isTrue(got.lines.every(({ checked, line }, i) => checked && line === i + 1))
      let offset = 0
      for (const line of got.lines) {
        assert.strictEqual(line.offset, offset)
        offset = bytes.indexOf(10, offset) + 1
      }
    }
  })
})

describe("every beginning of a file", () => {
  it("is read as the appends that are whole in it, and what else there is as torn", () => {
    const { bytes, ends } = fileOf(small)
    const counts = [0, 1, 2, 5, 6]
    for (let length = 0; length <= bytes.length; length++) {
      const got = whole(bytes.slice(0, length))
      const wholes = ends.filter((end) => end <= length).length
      assert.strictEqual(got.damage, undefined, String(length))
      assert.deepStrictEqual(rowsOf(got), smallRows.slice(0, counts[wholes]), String(length))
      const offset = ends[wholes - 1] ?? 0
      assert.strictEqual(got.torn?.bytes ?? 0, length - offset)
      if (length > offset) assert.strictEqual(got.torn?.offset, offset)
    }
  })

  it("says how many lines of the unfinished append were whole", () => {
    const { bytes, ends } = fileOf(small)
    const lastLineOfSecond = bytes.lastIndexOf(10, (ends[2] ?? 0) - 2) + 1
    assert.deepStrictEqual(whole(bytes.slice(0, lastLineOfSecond)).torn, {
      offset: ends[1],
      bytes: lastLineOfSecond - (ends[1] ?? 0),
      lines: 2
    })
  })
})

/** Rows that were read are the first ones that were written. */
const isBeginning = (got: Read): boolean => {
  const rows = rowsOf(got)
  return JSON.stringify(rows) === JSON.stringify(smallRows.slice(0, rows.length))
}

describe("damage", () => {
  it(
    "of any one bit is refused, and nothing that was not written is given",
    () => {
      const { bytes } = fileOf(small)
      const lineAt = (offset: number) => bytes.subarray(0, offset).filter((byte) => byte === 10).length + 1
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.slice()
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        const got = whole(flipped)
        const where = `bit ${bit}`
        assert.isDefined(got.damage, where)
        // A header without a checksum makes a file of another program of it, in which the next line is the first wrong one.
        const line = lineAt(bit >> 3)
        assert.include(line === 1 ? [1, 2] : [line], got.damage?.line, where)
        if (line > 1) assert.isTrue(isBeginning(got), where)
      }
    },
    patience
  )

  it("names line and offset, and leaves the appends before it", () => {
    const lines = smallLines()
    const [header = "", first = "", second = "", third = "", fourth = "", fifth = ""] = lines
    const foreign = smallLines().map((line) => line)
    foreign[1] = encode([note(0, "other")], 7).text
    const cases: ReadonlyArray<
      readonly [what: string, lines: ReadonlyArray<string>, line: number, reason: RegExp, rows: number]
    > = [
      ["a deleted line", [header, second, third, fourth, fifth], 2, /checksum/u, 1],
      ["a deleted last line of an append", [header, first, second, third, fifth], 5, /checksum/u, 2],
      ["a line twice", [header, first, first, second, third, fourth, fifth], 3, /checksum/u, 2],
      ["two lines in another order", [header, second, first, third, fourth, fifth], 2, /checksum/u, 1],
      ["garbage", [header, first, "garbage\n", second, third, fourth, fifth], 3, /does not end with a checksum/u, 2],
      ["an empty line", [header, first, "\n", second], 3, /does not end with a checksum/u, 2],
      [
        "a line without a checksum",
        [header, first, `${JSON.stringify(note(1))}\n`],
        3,
        /does not end with a checksum/u,
        2
      ],
      ["a bad last line that is terminated", [header, first, `${second.slice(0, 30)}\n`], 3, /checksum/u, 2],
      ["a line of another file", foreign, 2, /checksum is not/u, 1],
      ["a byte order mark", [`\ufeff${header}`, first], 1, /checksum is not/u, 0],
      ["line ends of another kind", [header, first.replace("\n", "\r\n"), second], 2, /does not end with/u, 1],
      [
        "another byte than the last line feed",
        [header, first, `${second}${third}${fourth}`, fifth.replace("\n", "!")],
        6,
        /line feed/u,
        5
      ]
    ]
    for (const [what, some, line, reason, rows] of cases) {
      const got = whole(utf8.encode(some.join("")))
      assert.strictEqual(got.damage?.line, line, what)
      assert.match(got.damage?.reason ?? "", reason, what)
      assert.deepStrictEqual(rowsOf(got), smallRows.slice(0, rows), what)
      const before = some
        .join("")
        .split(/(?<=\n)/u)
        .slice(0, line - 1)
      assert.strictEqual(got.damage?.offset, utf8.encode(before.join("")).length, what)
    }
  })

  it("that its writer would not have made is refused too: an append that does not end where it said", () => {
    const { checksum, text: header } = encode([headerOf("s")], 0)
    const { text } = encode([note(0), note(1), note(2)], checksum)
    const [first = ""] = text.split(/(?<=\n)/u)
    const { text: other } = encode([note(1), note(2), note(3)], checksumAfter(header + first))
    const got = whole(utf8.encode(header + first + other))
    assert.deepInclude(got.damage, { line: 3, reason: "2 more lines of its append were to come, and it says 3" })
    assert.lengthOf(got.lines, 1)
  })

  it(
    "in any file is noticed wherever it falls, and what is given was written",
    () => {
      const tally = new Tally()
      for (let seed = 0; seed < runs(150, 5000); seed++) {
        const random = seeded(seed)
        let seq = 0
        const appends = Array.from({ length: 1 + random.below(5) }, () =>
          Array.from({ length: 1 + random.below(3) }, () => anyEvent(random, seq++))
        )
        const { bytes, ends } = fileOf(appends)
        const from = random.below(bytes.length)
        const to = random.oneIn(8) ? bytes.length : from + random.below(Math.min(40, bytes.length - from))
        const kind = random.pick(["cut out", "overwritten", "inserted", "repeated"])
        const some = Uint8Array.from({ length: to - from }, () => random.below(256))
        const middle =
          kind === "cut out"
            ? []
            : kind === "overwritten"
              ? some
              : kind === "inserted"
                ? [...some, ...bytes.slice(from, to)]
                : [...bytes.slice(from, to), ...bytes.slice(from, to)]
        const changed = Uint8Array.from([...bytes.slice(0, from), ...middle, ...bytes.slice(to)])
        const got = whole(changed)
        const rows = [headerOf("s"), ...appends.flat()]
        const same = changed.length === bytes.length && changed.every((byte, i) => byte === bytes[i])
        const beginning = from >= (ends[0] ?? 0)
        if (beginning) assert.deepStrictEqual(rowsOf(got), rows.slice(0, got.lines.length), `seed ${seed}`)
        if (same) {
          tally.count("nothing changed")
          assert.lengthOf(got.lines, rows.length)
        } else if (got.damage !== undefined) tally.count(kind)
        else {
          // Where the last line feed is gone, the end looks like an append that was not finished; without any of the last
          // append, like a file that never had it.
          tally.count("torn")
          assert.include(["cut out", "overwritten"], kind, `seed ${seed}`)
          assert.strictEqual(to, bytes.length, `seed ${seed}`)
          assert.strictEqual(got.torn === undefined, kind === "cut out" && ends.includes(from), `seed ${seed}`)
        }
      }
      tally.assertShares("damaged files", { "cut out": 10, overwritten: 10, inserted: 10, repeated: 10, torn: 2 })
    },
    patience
  )
})

const checksumAfter = (text: string): number => Number.parseInt(crc(utf8.encode(text)), 16)

describe("a file of another program", () => {
  const plain = smallRows.map((row) => JSON.stringify(row))

  it("has no checksums and is read", () => {
    const got = whole(utf8.encode(`${plain.join("\n")}\n`))
    assert.deepStrictEqual(rowsOf(got), smallRows)
    assert.isTrue(got.lines.every(({ checked }) => !checked))
  })

  it("may leave the last line feed out, and a row that is cut off is torn", () => {
    const text = plain.join("\n")
    assert.deepStrictEqual(rowsOf(whole(utf8.encode(text))), smallRows)
    const { offset = 0, torn } = {
      offset: utf8.encode(`${plain.slice(0, -1).join("\n")}\n`).length,
      ...whole(utf8.encode(text.slice(0, -1)))
    }
    assert.deepStrictEqual(torn, { offset, bytes: utf8.encode(text).length - 1 - offset, lines: 0 })
  })

  it("has no line with a checksum among those without", () => {
    const [, first = ""] = smallLines()
    const got = whole(utf8.encode(`${plain[0]}\n${first}`))
    assert.deepInclude(got.damage, { line: 2, reason: "it ends with a checksum, and the lines before it have none" })
  })

  it("is told from a damaged one line by line", () => {
    const cases: ReadonlyArray<readonly [text: string | Uint8Array, reason: RegExp]> = [
      ["", /no JSON/u],
      ["[1]", /no JSON object/u],
      ["null", /no JSON object/u],
      ["{", /no JSON: /u],
      ["\ufeff{}", /byte order mark/u],
      [Uint8Array.from([0x7b, 0xff, 0x7d]), /no UTF-8/u]
    ]
    for (const [text, reason] of cases) {
      const body = typeof text === "string" ? utf8.encode(text) : text
      const refused = Result.getOrThrow(Result.flip(parse({ line: 3, offset: 40, body, checked: false })))
      assert.deepInclude(refused, { line: 3, offset: 40 })
      assert.match(refused.reason, reason)
    }
  })
})
