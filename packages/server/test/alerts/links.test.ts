import { expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { consoleUrlOf } from '../../src/servers.ts'

type Settings = Parameters<typeof parseConfig>[1]

const LOOPBACK = 'http://127.0.0.1:4800/console'

test.each<[Settings, string]>([
  [{}, LOOPBACK],
  [{ host: '::1', port: '1' }, 'http://[::1]:1/console'],
  [{ host: 'localhost' }, 'http://localhost:4800/console'],
  [{ host: '0.0.0.0' }, '/console'],
  [{ host: '127.0.0.1.example.com' }, '/console'],
  [{ host: '10.0.0.1', adminPort: '4802' }, 'http://127.0.0.1:4802/console'],
  [{ adminHost: '10.0.0.1', adminPort: '4802' }, '/console'],
  [{ port: '0' }, '/console'],
  [{ consoleUrl: 'https://a.example/console/' }, 'https://a.example/console'],
  [{ consoleUrl: 'https://a.example', host: '0.0.0.0' }, 'https://a.example'],
])('with %j, links begin with %s', (settings, expected) => {
  expect(consoleUrlOf(parseConfig({}, settings))).toBe(expected)
})

test.each([
  'a.example/console',
  'ftp://a.example',
  'https://u:p@a.example',
  'https://a.example/?a',
])('consoleUrl must not be %s', (consoleUrl) => {
  expect(() => parseConfig({}, { consoleUrl })).toThrow(/consoleUrl|--console-url/)
})
