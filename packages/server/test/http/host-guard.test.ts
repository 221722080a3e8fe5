import { describe, expect, test } from 'vitest'
import { isOwnHost } from '../../src/http/host-guard.ts'

const ALLOWED = ['Hookline.example.com', '.svc.cluster.local']

describe('a Host', () => {
  test.each([
    undefined,
    '',
    '127.0.0.1',
    '10.0.0.7:4800',
    '[::1]:4800',
    '[2001:db8::1]',
    'localhost:4800',
    'LOCALHOST',
    'localhost.',
    'hookline.localhost:4800',
    'hookline:4800',
    'hookline.example.com',
    'HOOKLINE.example.com.:443',
    'hookline.default.svc.cluster.local:4800',
  ])('may be %s', (host) => {
    expect(isOwnHost(host, ALLOWED)).toBe(true)
  })

  test.each([
    'attacker.example',
    'attacker.example:4800',
    'attacker.example.',
    '127.0.0.1.attacker.example',
    'localhost.attacker.example',
    'example.com',
    'a.hookline.example.com',
    'evilsvc.cluster.local',
    'hookline.example.com.attacker.example',
    '[::1].attacker.example',
    '127.0.0.1:80.attacker.example',
    'a..b',
  ])('may not be %s', (host) => {
    expect(isOwnHost(host, ALLOWED)).toBe(false)
  })
})
