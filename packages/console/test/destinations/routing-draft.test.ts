import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import { withText } from '../../src/domain/conditions/draft/definition-draft.ts'
import { FILTERS } from '../../src/pages/destinations/settings/filter/filter-draft.ts'
import {
  requestedRouting,
  routingDraftOf,
  shapeError,
} from '../../src/pages/destinations/settings/routing-draft.ts'
import { SHAPES } from '../../src/pages/destinations/settings/shape/shape-draft.ts'

const NONE = {
  filter: null,
  sample: null,
  fields: null,
  format: null,
  method: null,
  transform: null,
}

function destination(settings: object): Destination {
  return {
    settings: { webhooks: [], successPolicy: 'each', ...settings },
  } as unknown as Destination
}

test('a destination without routing settings has an empty draft, which saves null for each of them', () => {
  const draft = routingDraftOf(destination({}))
  expect(draft).toMatchObject({ filter: null, shape: { text: '{}' }, transform: '' })
  expect(requestedRouting(draft)).toEqual(NONE)
})

test('the transform is edited separately from the JSON, and its line breaks are kept', () => {
  const settings = { format: 'standard', method: 'PUT', transform: '{\n  "text": event\n}' }
  const draft = routingDraftOf(destination(settings))
  expect(draft.shape.json).toEqual({ format: 'standard', method: 'PUT' })
  expect(draft.transform).toBe(settings.transform)
  expect(requestedRouting(draft)).toEqual({ ...NONE, ...settings })
})

test.for(['', '  \n'])('the transform %j is saved as null, which removes it', (transform) => {
  const shape = withText(SHAPES, '{"sample": {"rate": 0.1}}')
  expect(requestedRouting({ filter: null, shape, transform })).toEqual({
    ...NONE,
    sample: { rate: 0.1 },
  })
})

test.for([
  ['[]', 'Use a JSON object.'],
  ['{"filters": {}}', 'Unknown setting: filters.'],
  ['{"transform": "event"}', 'Enter the transform in its own field.'],
  ['{"filter": {"type": "track"}}', 'Enter the filter in its own field.'],
  ['{"sample": ', undefined],
  ['{"sample": {}}', undefined],
] as const)('the JSON %s has the error %s', ([text, fieldError]) => {
  expect(shapeError(withText(SHAPES, text).json)).toBe(fieldError)
})

test.for(['[]', '{"filters": {}}', '{"sample": ', '{"fields": {"drop": [""]}}', '{"sample": {}}'])(
  'the JSON %s is not saved',
  (text) => {
    const shape = withText(SHAPES, text)
    expect(requestedRouting({ filter: null, shape, transform: '' })).toBeUndefined()
  },
)

test('the filter is edited separately from the other settings, and an incomplete one is not saved', () => {
  const settings = { filter: { event: 'Order *' }, sample: { rate: 0.1, by: 'userId' } }
  const draft = routingDraftOf(destination(settings))
  expect(draft.shape.json).toEqual({ sample: settings.sample })
  expect(requestedRouting(draft)).toEqual({ ...NONE, ...settings })
  expect(requestedRouting({ ...draft, filter: null })).toMatchObject({ filter: null })
  for (const text of ['{"event": ', '{"where": [{"property": "", "op": "exists"}]}'])
    expect(requestedRouting({ ...draft, filter: withText(FILTERS, text) })).toBeUndefined()
})
