import { describe, test } from 'vitest'
import { hooklineGo } from '../clients/adapters/go-libraries.ts'
import { BEHAVIOURS } from '../clients/suite.ts'
import { GO_BUILD_MS, skipWithoutGo } from '../harness/go.ts'

describe('the client library in Go', () => {
  test.concurrent.for(BEHAVIOURS)('$name', { timeout: GO_BUILD_MS }, ({ check }, { skip }) => {
    skipWithoutGo(skip)
    return check(hooklineGo)
  })
})
