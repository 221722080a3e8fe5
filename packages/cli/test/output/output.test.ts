import { WriteStream } from 'node:tty'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Output } from '../../src/output/output.ts'
import { columnsOfScreen } from '../../src/output/output.ts'
import { reportFailure } from '../../src/main.ts'
import { createProgram } from '../../src/program.ts'
import { Failure } from '../../src/failure.ts'

const ESC = '\u001b'
/** Includes a C1 CSI, which needs no ESC, and characters that reverse or hide text. */
const CONTROLS =
  '\u0000\u0007\u001b\u007f\u0085\u009b\u061c\u200e\u200f\u202a\u202e\u2066\u2069'.split('')
const HOSTILE = `a${CONTROLS.join('b')}c`

/** The output on a stream while the function runs. */
function written(stream: NodeJS.WriteStream, run: () => void): string {
  let text = ''
  const write = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  onTestFinished(() => write.mockRestore())
  run()
  return text
}

const controlsIn = (text: string): string[] => CONTROLS.filter((each) => text.includes(each))

test('JSON on stdout has no control characters, and parses to the same value', () => {
  const value = { [HOSTILE]: [HOSTILE, { name: `${HOSTILE}\n\t"\\`, other: 'Größe 🎉' }] }
  const output = new Output({ json: true })
  for (const write of [() => output.data(value, () => ''), () => output.json(value)]) {
    const text = written(process.stdout, write)
    expect(controlsIn(text)).toEqual([])
    expect(text).toMatch(/^[^\n]+\n$/)
    expect(JSON.parse(text)).toEqual(value)
  }
})

test("text output has no control characters except line breaks and the command's colours", () => {
  vi.stubEnv('FORCE_COLOR', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  const output = new Output({})
  const styled = output.style(['red', 'bold'], `${ESC}[8mred`)
  const text = `${styled}\n${HOSTILE.replaceAll(ESC, `${ESC}[31m`)}`
  for (const [stream, write] of [
    [process.stdout, () => output.data({}, () => text)],
    [process.stdout, () => output.show(text)],
    [process.stderr, () => output.note(text)],
  ] as const) {
    const [first, second] = written(stream, write).split('\n')
    expect(first).toBe(`${ESC}[31m${ESC}[1m\\x1b[8mred${ESC}[22m${ESC}[39m`)
    expect(controlsIn(second!)).toEqual([])
    expect(second).toContain(String.raw`a\x00b\x07b\x1b[31mb`)
  }
})

/** Makes stdout a terminal, which it is not in test runs. */
function onTerminal(environment: Record<string, string>): Output {
  const { isTTY } = process.stdout
  Object.assign(process.stdout, {
    isTTY: true,
    getColorDepth: () => WriteStream.prototype.getColorDepth.call(process.stdout),
  })
  const own = { FORCE_COLOR: undefined, NO_COLOR: undefined, COLORTERM: undefined, CI: undefined }
  const all = { ...own, TERM: 'xterm-256color', ...environment }
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value)
  onTestFinished(() => {
    Object.assign(process.stdout, { isTTY, getColorDepth: undefined })
    vi.unstubAllEnvs()
  })
  return new Output({})
}

test('a terminal shows colours', () => {
  expect(onTerminal({}).style('red', 'text')).not.toBe('text')
})

test.each([{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }, { TERM: 'dumb' }])(
  'a terminal with %j shows no colours',
  (environment) => {
    expect(onTerminal(environment).style('red', 'text')).toBe('text')
  },
)

test.each([
  [{ isTTY: true, columns: 132 }, {}, 132],
  [{ isTTY: true, columns: 0 }, {}, 80],
  [{ isTTY: true, columns: 132 }, { COLUMNS: '100' }, 100],
  [{}, { COLUMNS: '100' }, 100],
  [{}, { COLUMNS: 'wide' }, Infinity],
  [{}, {}, Infinity],
])('the screen %j with %j has %d columns', (screen, environment, columns) => {
  expect(columnsOfScreen(screen, environment)).toBe(columns)
})

test.each([true, false])(
  'a failure is shown without control characters, as JSON: %s',
  async (json) => {
    const failure = new Failure('failed', HOSTILE, { hint: HOSTILE })
    const command = await createProgram()
    const text = written(process.stderr, () => reportFailure(failure, { json, command }))
    expect(controlsIn(text.replaceAll(`${ESC}[`, ''))).toEqual([])
  },
)
