import { expect } from 'vitest'

/** Skips a test that this machine cannot run, or fails it if the environment variable `required` is 1. */
export function skipOrFail(needs: string, required: string, skip: () => never): never {
  console.log(`skipped: requires ${needs} (${required}=1 makes this a failure)`)
  expect(process.env[required]).not.toBe('1')
  return skip()
}
