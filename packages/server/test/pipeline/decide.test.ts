import type { Destination, JsonObject } from '@hookline/protocol'
import { describe, expect, test } from 'vitest'
import { decide } from '../../src/pipeline/decide.ts'
import { acceptedEvent } from '@hookline/testing/records/accepted-event'

const destination = { id: 'dst_1', type: 'Webhooks', enabled: true, settings: {} } as Destination

describe('integrations decide per call', () => {
  test.for<[string, JsonObject | undefined, 'deliver' | 'integrations']>([
    ['absent', undefined, 'deliver'],
    ['empty', {}, 'deliver'],
    ['the name enabled', { Webhooks: true }, 'deliver'],
    ['the name with options', { Webhooks: { any: 1 } }, 'deliver'],
    ['the name disabled', { Webhooks: false }, 'integrations'],
    ['the name in another case', { webhooks: false }, 'deliver'],
    ['the id disabled', { dst_1: false }, 'integrations'],
    ['another id disabled', { dst_2: false }, 'deliver'],
    ['the id before the name', { Webhooks: false, dst_1: true }, 'deliver'],
    ['`All` false', { All: false }, 'integrations'],
    ['`all` false, in the spelling of one client', { all: false }, 'integrations'],
    ['`All` false, but the name enabled', { All: false, Webhooks: true }, 'deliver'],
    ['`All` false, but the id enabled', { All: false, dst_1: {} }, 'deliver'],
    ['`All` true, but the name disabled', { All: true, Webhooks: false }, 'integrations'],
    ['values that are ignored', { Webhooks: null, All: 'no' }, 'deliver'],
    ['keys that every object inherits', { constructor: false, toString: false }, 'deliver'],
  ])('%s', ([, integrations, decision]) => {
    const event = acceptedEvent(integrations === undefined ? {} : { integrations })
    expect(decide(event, event.integrations, destination)).toBe(decision)
  })
})

test('a disabled destination gets no delivery', () => {
  const event = acceptedEvent({ integrations: { Webhooks: true } })
  const disabled = { ...destination, enabled: false }
  expect(decide(event, event.integrations, disabled)).toBe('destination_disabled')
})
