import { describe, expect, test } from 'vitest'
import { fieldsOf, labelOf, webhookName } from '../../src/telemetry/names.ts'
import { newDestination, newSource } from '@hookline/testing/records/catalog-records'

const urls = [
  'https://user:secret@a.example.com/hook/T0KEN?key=secret',
  'https://b.example.com:8443/',
  'https://a.example.com/second',
]
const destination = newDestination({
  settings: { webhooks: urls.map((url) => ({ url, headers: {} })) },
})

test('a webhook is named by its host, and others with the same host also by their position', () => {
  expect(urls.map((url) => webhookName(url, destination))).toEqual([
    'a.example.com',
    'b.example.com:8443',
    'a.example.com#2',
  ])
  expect(webhookName(urls[2]!, undefined)).toBe('a.example.com')
})

test('the log fields name destination, source and webhook, and contain only the host of a URL', () => {
  const catalog = {
    sources: new Map([['src_a', newSource({ name: 'Shop' })]]),
    destinations: new Map([['dst_a', destination]]),
  }
  const fields = fieldsOf('dst_a', urls[0], catalog)
  expect(fields).toEqual({
    destination: 'CRM',
    source: 'Shop',
    webhook: 'a.example.com',
    destinationId: 'dst_a',
  })
  expect(fieldsOf('dst_gone', undefined, catalog)).toEqual({ destinationId: 'dst_gone' })
})

describe('the label of a name', () => {
  test('replaces characters that a terminal or page would not show', () => {
    expect(labelOf('a\u0000b\nc\u202ed\u001b[31m')).toBe('a\ufffdb\ufffdc\ufffdd\ufffd[31m')
    expect(labelOf('Käse 🧀 "quoted" \\ <b>')).toBe('Käse 🧀 "quoted" \\ <b>')
  })
  test('has a limited length, and is well formed where it is cut', () => {
    expect(labelOf('x'.repeat(10_000))).toBe('x'.repeat(64))
    const cut = labelOf(`${'x'.repeat(63)}🧀`)
    expect(cut).toHaveLength(64)
    expect(cut.isWellFormed()).toBe(true)
  })
})
