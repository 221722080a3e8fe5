import { expect } from 'vitest'

/** Skips a test that this machine cannot run, or fails it where the environment variable `required` is 1. */
export function skipOrFail(needs: string, required: string, skip: () => never): never {
  console.log(`skipped: it needs ${needs} (${required}=1 makes that a failure)`)
  expect(process.env[required]).not.toBe('1')
  return skip()
}
