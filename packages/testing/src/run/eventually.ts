import { vi } from 'vitest'
import { CONDITION_MS } from './condition-ms.ts'

/** Repeats the check until it no longer throws. Resolves to its result. */
export function eventually<T>(check: () => T | Promise<T>, interval = 20): Promise<T> {
  return vi.waitFor(check, { timeout: CONDITION_MS, interval })
}
