import { describe, test } from 'vitest'
import { hooklineGo } from './adapters/go-libraries.ts'
import { UNMEASURED } from './suite.ts'
import { GO_BUILD_MS, skipWithoutGo } from '@hookline/testing/programs/go'

describe('the client library in Go', () => {
  test.concurrent.for(UNMEASURED)('$name', { timeout: GO_BUILD_MS }, ({ check }, { skip }) => {
    skipWithoutGo(skip)
    return check(hooklineGo)
  })
})
