import { expect, test } from 'vitest'
import {
  isUnchanged,
  payloadsOf,
  type TestResponse,
} from '../../src/domain/destinations/tested-payloads.ts'

function tested(formatted: string, webhook: object): TestResponse {
  return { stored: '{"a":1}', formatted, webhooks: [webhook] } as unknown as TestResponse
}

test('without fields, format and transform, the stored payload is sent unchanged', () => {
  const payloads = payloadsOf(tested('{"a":1}', { request: { body: '{"a":1}' }, attempt: null }))
  expect(payloads).toEqual({ stored: '{"a":1}', sent: { kind: 'body', body: '{"a":1}' } })
  expect(isUnchanged(payloads)).toBe(true)
})

test('without a transform, the formatted payload is not shown separately, because it is the body', () => {
  const payloads = payloadsOf(tested('{}', { request: { body: '{}' }, attempt: null }))
  expect(payloads).toEqual({ stored: '{"a":1}', sent: { kind: 'body', body: '{}' } })
  expect(isUnchanged(payloads)).toBe(false)
})

test('the payload before the transform is shown if fields or format changed it', () => {
  const webhook = { request: { body: '"text"' }, attempt: null }
  expect(payloadsOf(tested('{}', webhook)).formatted).toBe('{}')
  expect(payloadsOf(tested('{"a":1}', webhook)).formatted).toBeUndefined()
})

test('a transform that returned nothing has no body', () => {
  const attempt = { outcome: 'declined', class: 'transform_declined' }
  const payloads = payloadsOf(tested('{"a":1}', { request: null, attempt }))
  expect(payloads.sent).toEqual({ kind: 'nothing' })
  expect(isUnchanged(payloads)).toBe(false)
})

test('a transform that failed has its error instead of a body', () => {
  const error = 'The transform failed at character 3.'
  const attempt = { outcome: 'rejected', class: 'transform_failed', error }
  const payloads = payloadsOf(tested('{}', { request: null, attempt }))
  expect(payloads).toMatchObject({ formatted: '{}', sent: { kind: 'failed', error } })
})

test('numbers that the transform gets as text are listed', () => {
  const webhook = { request: { body: '{}' }, attempt: null }
  const result = { ...tested('{"a":1}', webhook), precisionLost: ['properties.id'] }
  expect(payloadsOf(result).precisionLost).toEqual(['properties.id'])
})
