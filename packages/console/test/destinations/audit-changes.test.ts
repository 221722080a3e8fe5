import { expect, test } from 'vitest'
import { fieldChanges, valueText } from '../../src/pages/destinations/audit/audit-changes.ts'

test('changed fields are identified by path, except for fields that every change updates', () => {
  const before = {
    version: 1,
    updatedAt: 'a',
    name: 'Shop',
    settings: { webhooks: [{ url: 'x' }] },
  }
  const after = {
    version: 2,
    updatedAt: 'b',
    name: 'Shop',
    settings: { webhooks: [{ url: 'y' }, { url: 'z' }] },
  }
  expect(fieldChanges(before, after)).toEqual([
    { path: 'settings.webhooks.0.url', before: 'x', after: 'y' },
    { path: 'settings.webhooks.1', before: undefined, after: { url: 'z' } },
  ])
})

test('a large record shows a limited number of changes', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, index]))
  expect(fieldChanges({}, many)).toHaveLength(50)
})

test('strings are shown as they are, and objects as JSON', () => {
  expect(valueText(null)).toBe('none')
  expect(valueText('a')).toBe('a')
  expect(valueText({ url: 'z' })).toBe('{"url":"z"}')
})
