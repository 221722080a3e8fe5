import { expect, test, vi } from 'vitest'
import { Output } from '../../src/output/output.ts'
import { noteWarnings } from '../../src/output/warnings.ts'

test('a warning is coloured on a terminal, and control characters in it are escaped', () => {
  vi.stubEnv('FORCE_COLOR', '1')
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    noteWarnings(new Output({}), [{ message: 'a\u001b[2Jb', hint: 'Resume it.' }])
    const text = write.mock.calls.map(([part]) => String(part)).join('')
    expect(text.split('warning:')[0]).toContain('\u001b[33m')
    expect(text).not.toContain('\u001b[2J')
    expect(text).toContain('\n  Resume it.')
  } finally {
    write.mockRestore()
    vi.unstubAllEnvs()
  }
})
