import { expect } from 'vitest'
import type { Run } from './hookline.ts'

/** The error that a failed run with `--json` printed on stderr, and nothing else. */
export function errorOf(run: Run): Record<string, unknown> {
  expect(run.stdout).toBe('')
  return (JSON.parse(run.stderr) as { error: Record<string, unknown> }).error
}
