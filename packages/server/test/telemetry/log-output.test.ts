import { closeSync, openSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LogOutput } from '../../src/telemetry/logger.ts'
import { ManualClock } from '@hookline/testing/clocks/manual-clock'
import { NamedPipe } from '@hookline/testing/files/named-pipe'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'

const MIB = 2 ** 20
const LINE_BYTES = 1024

function lineOf(number: number): string {
  return `${String(number).padEnd(LINE_BYTES - 1, '.')}\n`
}

function numbersIn(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\.+$/, ''))
}

/** An output to `fd` that reports lost lines as `lost <lines>`. */
function outputTo(fd: number): { readonly output: LogOutput; readonly clock: ManualClock } {
  const clock = new ManualClock()
  const onLinesLost = (lines: number): void => output.write(`lost ${lines}\n`)
  const output: LogOutput = new LogOutput({ fd, clock, onLinesLost })
  return { output, clock }
}

/** Waits for a write in progress, whose descriptor must not be closed until then. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await stat('/')
}

test('lines are written to a file in order', async () => {
  using folder = new TemporaryFolder()
  const file = join(folder.path, 'log')
  const fd = openSync(file, 'w')
  const { output } = outputTo(fd)
  for (let number = 0; number < 3000; number++) {
    // Flushes before the buffer is full.
    if (number % 500 === 0) await output.flushed()
    output.write(lineOf(number))
  }
  await output.flushed()
  closeSync(fd)
  expect(numbersIn(readFileSync(file, 'utf8'))).toEqual([...Array(3000).keys()].map(String))
  expect(output.linesLost).toBe(0)
})

test('with an unread pipe, up to a mebibyte of lines is buffered, and further lines are lost; a later line reports how many', async () => {
  using pipe = new NamedPipe({ isBlocking: false })
  const { output, clock } = outputTo(pipe.fd)
  const written = 3000
  for (let number = 0; number < written; number++) output.write(lineOf(number))
  expect(output.linesLost).toBe(written - MIB / LINE_BYTES)
  let text = ''
  const everything = async (): Promise<string> => {
    clock.advance(100)
    text += pipe.read()
    return text
  }
  await expect.poll(everything).toMatch(/lost \d+\n$/)
  const lines = numbersIn(text)
  const kept = written - output.linesLost
  expect(lines).toEqual([...[...Array(kept).keys()].map(String), `lost ${output.linesLost}`])
  output.write(lineOf(written))
  await output.flushed()
  expect(numbersIn(pipe.read())).toEqual([String(written)])
})

test('a short line after a lost one is lost as well, so that lines stay in order', async () => {
  using pipe = new NamedPipe({ isBlocking: false })
  const { output } = outputTo(pipe.fd)
  output.write('x'.repeat(MIB - 1))
  output.write('too long')
  expect(output.linesLost).toBe(1)
  output.write('s')
  expect(output.linesLost).toBe(2)
  await settled()
})

test.for(['a full disk', 'a closed pipe'])(
  'on %s, lines beyond a mebibyte are lost, and nothing is thrown',
  async (kind) => {
    using pipe = new NamedPipe({ isBlocking: false })
    pipe.closeReader()
    const fd = kind === 'a full disk' ? openSync('/dev/full', 'w') : pipe.fd
    const { output, clock } = outputTo(fd)
    for (let number = 0; number < 1100; number++) output.write(lineOf(number))
    let isFlushed = false
    void output.flushed().then(() => (isFlushed = true))
    for (let retries = 0; retries < 20; retries++) {
      clock.advance(100)
      await settled()
    }
    expect(output.linesLost).toBe(1100 - MIB / LINE_BYTES)
    expect(isFlushed).toBe(false)
    if (fd !== pipe.fd) closeSync(fd)
  },
)
