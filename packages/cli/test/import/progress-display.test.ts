import { expect, it } from 'vitest'
import { ProgressDisplay, type Screen } from '../../src/import/progress-display.ts'

const progress = { bytes: 1, totalBytes: 2, lines: 10, rejected: 0 }

function screen(properties: Pick<Screen, 'isTTY' | 'columns'>): Screen & { written: string } {
  return {
    ...properties,
    written: '',
    write(text) {
      this.written += text
    },
  }
}

it('redraws one line on a terminal, no wider than the terminal, and erases it at the end', async () => {
  const terminal = screen({ isTTY: true, columns: 20 })
  {
    using _display = new ProgressDisplay(() => progress, terminal)
    await expect.poll(() => terminal.written.split('\r').length).toBeGreaterThan(2)
  }
  const drawn = terminal.written.replaceAll('\r\u001b[2K', '|')
  expect(drawn).toMatch(/^(\|\[={12} {6})+\|$/)
})

it('assumes a default width for a terminal that reports 0 columns', async () => {
  const terminal = screen({ isTTY: true, columns: 0 })
  using _display = new ProgressDisplay(() => progress, terminal)
  await expect.poll(() => terminal.written).toContain(']  50%  10 lines')
})

it('writes a new line each time if the output is not a terminal', async () => {
  const file = screen({})
  {
    using _display = new ProgressDisplay(() => progress, file, 5)
    await expect.poll(() => file.written.split('\n').length).toBeGreaterThan(2)
  }
  expect(file.written).toMatch(/^(\[.*\] {2}50% {2}10 lines {2}.*\n)+$/)
})
