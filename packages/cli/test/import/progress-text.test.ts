import { describe, expect, it } from 'vitest'
import { progressText } from '../../src/import/progress-text.ts'
import { durationText } from '../../src/output/figures.ts'

const start = { bytes: 200, totalBytes: 1000, lines: 20, rejected: 0 }

describe('the progress line', () => {
  it('shows the share of the file, and the rate and remaining time of this run', () => {
    const now = { ...start, bytes: 600, lines: 12_020 }
    expect(progressText(now, start, 4_000)).toBe(
      '[==============          ]  60%  12,020 lines  3,000/s  4 s left',
    )
  })

  it('shows rejected lines, if any', () => {
    expect(progressText({ ...start, bytes: 1000, rejected: 3 }, start, 1)).toMatch(/ 3 rejected$/)
  })

  it('shows no remaining time before the first progress', () => {
    expect(progressText(start, start, 5_000)).toBe('[====                    ]  20%  20 lines  0/s')
  })

  it('shows 100% for an empty file', () => {
    const empty = { bytes: 0, totalBytes: 0, lines: 0, rejected: 0 }
    expect(progressText(empty, empty, 0)).toContain('100%')
  })

  it.for([
    [0.4, '0 s'],
    [59.4, '59 s'],
    [59.6, '1 min 0 s'],
    [3_599, '59 min 59 s'],
    [7_500, '2 h 5 min'],
  ] as const)('formats %d s as %s', ([seconds, text]) => {
    expect(durationText(seconds)).toBe(text)
  })
})
