import { SETTINGS } from '@hookline/server/settings'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { readRepositoryFile } from '@hookline/testing/repository'
import { configOf, expectComposeFile } from './compose-file.ts'

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>
  readonly ports: readonly string[]
  readonly secrets: readonly string[]
  readonly networks: { readonly edge: { readonly ipv4_address: string } }
  readonly stop_grace_period: string
  readonly ulimits: { readonly nofile: number }
}

const FILE = 'deploy/compose.yaml'
const { services, secrets } = parse(readRepositoryFile(FILE)) as {
  readonly services: { readonly hookline: ComposeService; readonly proxy: ComposeService }
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
const { hookline, proxy } = services

describe(FILE, () => {
  it('conforms to the Compose specification', ({ skip }) =>
    expectComposeFile(readRepositoryFile(FILE), skip))

  it('uses only existing settings and declared secrets', () => {
    using folder = new TemporaryFolder()
    writeFileSync(join(folder.path, 'admin-token'), 'tok_of_compose')
    writeFileSync(join(folder.path, 'encryption-key'), Buffer.alloc(32).toString('base64'))
    const config = configOf(hookline, folder.path)
    expect(config.adminToken?.reveal()).toBe('tok_of_compose')
    expect(Object.keys(secrets)).toEqual(hookline.secrets)
    expect(readRepositoryFile('.gitignore')).toContain('deploy/secrets/')
    for (const { file } of Object.values(secrets)) expect(file).toMatch(/^\.\/secrets\//)
  })

  it('publishes the management API only to this machine', () => {
    expect(hookline.ports.filter((port) => port.endsWith(':4802'))).toEqual(['127.0.0.1:4802:4802'])
    expect(hookline.ports).toHaveLength(2)
  })

  it('trusts the proxy, and nothing else in its network', () => {
    const { ipv4_address: address } = proxy.networks.edge
    expect(hookline.environment['HOOKLINE_TRUSTED_PROXIES']).toBe(`${address}/32`)
  })

  it('gives the service the stop timeout and open-file limit that its settings require', () => {
    const graceMs = Number.parseInt(hookline.stop_grace_period, 10) * 1000
    expect(graceMs).toBeGreaterThan(
      SETTINGS.shutdownTimeoutMs.parse(SETTINGS.shutdownTimeoutMs.default) + 5_000,
    )
    expect(hookline.ulimits.nofile).toBe(Number(SETTINGS.maxOpenFiles.default))
  })
})
