import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import {
  jsonFault,
  requestedRouting,
  routingDraftOf,
} from '../../src/pages/destinations/settings/routing-draft.ts'

const NONE = { filter: null, sample: null, fields: null, format: null, transform: null }

function destination(settings: object): Destination {
  return {
    settings: { webhooks: [], successPolicy: 'each', ...settings },
  } as unknown as Destination
}

test('a destination without routing settings has an empty draft, which saves null for each of them', () => {
  const draft = routingDraftOf(destination({}))
  expect(draft).toEqual({ json: '', transform: '' })
  expect(requestedRouting(draft)).toEqual(NONE)
})

test('the transform is edited apart from the JSON, and its line breaks are kept', () => {
  const settings = { format: 'standard', transform: '{\n  "text": event\n}' }
  const draft = routingDraftOf(destination(settings))
  expect(JSON.parse(draft.json)).toEqual({ format: 'standard' })
  expect(draft.transform).toBe(settings.transform)
  expect(requestedRouting(draft)).toEqual({ ...NONE, ...settings })
})

test.for(['', '  \n'])('the transform %j is saved as null, which removes it', (transform) => {
  expect(requestedRouting({ json: '{"sample": {"rate": 0.1}}', transform })).toEqual({
    ...NONE,
    sample: { rate: 0.1 },
  })
})

test.for([
  ['{"filter": ', 'Invalid JSON.'],
  ['[]', 'Invalid JSON.'],
  ['{"filters": {}}', 'Unknown setting: filters.'],
  ['{"transform": "event"}', 'Enter the transform in its own field.'],
] as const)('the JSON %s is not saved: %s', ([json, fault]) => {
  expect(jsonFault(json)).toBe(fault)
  expect(requestedRouting({ json, transform: '' })).toBeUndefined()
})
