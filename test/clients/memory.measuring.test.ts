import { describe, test } from 'vitest'
import { GO_BUILD_MS, skipWithoutGo } from '@hookline/testing/programs/go'
import { hooklineGo } from './adapters/go-libraries.ts'
import { hooklineClient } from './adapters/hookline-client.ts'
import { MEMORY } from './behaviours/process.ts'

describe('@hookline/client', () => {
  test.for(MEMORY)('$name', ({ check }) => check(hooklineClient))
})

describe('the client library in Go', () => {
  test.for(MEMORY)('$name', { timeout: GO_BUILD_MS }, ({ check }, { skip }) => {
    skipWithoutGo(skip)
    return check(hooklineGo)
  })
})
