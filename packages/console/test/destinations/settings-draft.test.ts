import { expect, test } from 'vitest'
import type { Destination } from '@hookline/cli/management-client'
import {
  changeOf,
  draftOf,
  describeChange,
} from '../../src/pages/destinations/settings/settings-draft.ts'

const destination = {
  name: 'Shop',
  enabled: true,
  settings: {
    webhooks: [{ url: 'https://a.example/', headers: { 'X-Key': { set: true } }, paused: null }],
    successPolicy: 'any',
  },
} as unknown as Destination

test('an untouched draft changes nothing', () => {
  expect(changeOf(draftOf(destination), destination)).toEqual({})
})

test('a change contains only the fields that differ', () => {
  const draft = { ...draftOf(destination), name: 'Shop 2', policy: 'each' as const }
  expect(changeOf(draft, destination)).toEqual({
    name: 'Shop 2',
    settings: { successPolicy: 'each' },
  })
})

test('untouched limits are not a change, and removed ones are', () => {
  const { settings } = destination
  const limits = { timeout: '20s', perSecond: 20 }
  const webhooks = settings.webhooks.map((each) => ({ ...each, limits }))
  const limited = { ...destination, settings: { ...settings, webhooks } }
  expect(changeOf(draftOf(limited), limited)).toEqual({})
  expect(changeOf(draftOf(destination), limited).settings).toMatchObject({
    webhooks: [{ url: 'https://a.example/' }],
  })
})

test('a webhook secret is kept for its URL only', () => {
  const { settings } = destination
  const secret = { set: true, last4: 'abcd' }
  const webhooks = settings.webhooks.map((each) => ({ ...each, secret }))
  const signed = { ...destination, settings: { ...settings, webhooks } }
  const draft = draftOf(signed)
  expect(changeOf(draft, signed)).toEqual({})
  const edited = (url: string) =>
    changeOf(
      { ...draft, webhooks: draft.webhooks.map((each) => ({ ...each, url, headers: [] })) },
      signed,
    )
  expect(edited('https://a.example/')).toMatchObject({
    settings: { webhooks: [{ secret: { set: true } }] },
  })
  expect(edited('https://b.example/').settings).not.toHaveProperty('webhooks.0.secret')
})

test('pausing a webhook is not a change to its settings', () => {
  const { settings } = destination
  const paused = { since: '2026-11-23T12:00:00.000Z', reason: 'webhook_gone' as const }
  const webhooks = settings.webhooks.map((each) => ({ ...each, paused }))
  const stopped = { ...destination, settings: { ...settings, webhooks } }
  expect(changeOf(draftOf(stopped), destination)).toEqual({})
})

test('the message after saving describes the effect of this change', () => {
  expect(describeChange({ enabled: false })).toBe('Saved. New events are no longer delivered.')
  expect(describeChange({ enabled: true })).toBe('Saved. New events are delivered.')
  expect(describeChange({ name: 'Shop 2' })).toBe('Saved.')
  expect(describeChange({ settings: { successPolicy: 'each' } })).toBe(
    'Saved. The changes apply from the next attempt.',
  )
})
