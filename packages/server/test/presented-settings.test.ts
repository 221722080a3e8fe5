import { expect, test } from 'vitest'
import { parseConfig, resolveConfig } from '../src/config.ts'
import { SETTINGS } from '../src/settings.ts'
import { presentedSettings } from '../src/presented-settings.ts'

const FLAGS = {
  port: '0',
  retentionMs: '90s',
  allowedPorts: '8500,9200',
  adminToken: 'tok_planted',
  egressProxy: 'http://user:planted@proxy.example:3128',
}

test('shows each setting as the user wrote it, with its origin, but no secret', () => {
  const resolved = resolveConfig({ HOOKLINE_WEBHOOK_QUEUE_SIZE: '20' }, FLAGS)
  const shown = presentedSettings(resolved.config, resolved)
  const of = (name: string) => shown.find((each) => each.name === name)
  expect(shown).toHaveLength(Object.keys(SETTINGS).length)
  expect(of('retention')).toEqual({
    group: 'Storage',
    name: 'retention',
    flag: '--retention',
    variable: 'HOOKLINE_RETENTION',
    value: '90s',
    isSet: true,
    default: '7d',
    origin: { kind: 'flag', name: '--retention' },
    isSecret: false,
    isLocation: false,
    help: SETTINGS.retentionMs.doc,
  })
  expect(of('webhookQueueSize')).toMatchObject({
    value: '20',
    origin: { kind: 'environment', name: 'HOOKLINE_WEBHOOK_QUEUE_SIZE' },
  })
  expect(of('adminToken')).toMatchObject({ value: null, isSet: true, isSecret: true })
  expect(of('encryptionKey')).toMatchObject({ value: null, isSet: false, isSecret: true })
  expect(JSON.stringify(shown)).not.toContain('planted')
})

test('a program that passes only values gets the same values, without origins', () => {
  const resolved = resolveConfig({}, { ...FLAGS, retryScheduleMs: '500ms,10s' })
  const withOrigins = presentedSettings(resolved.config, resolved)
  const without = presentedSettings(parseConfig({}, { ...FLAGS, retryScheduleMs: '500ms,10s' }))
  expect(without.every(({ origin }) => origin === null)).toBe(true)
  const texts = (all: typeof without) => all.map(({ name, value }) => `${name}=${value}`)
  expect(texts(without)).toEqual(texts(withOrigins))
})

test('a setting not marked as a location has a number, a duration or a word as its default', () => {
  const { config } = resolveConfig({})
  for (const { isLocation, isSecret, name, value } of presentedSettings(config))
    if (!isLocation && !isSecret)
      expect([name, value ?? '']).toEqual([name, expect.stringMatching(/^\w*$/)])
})
