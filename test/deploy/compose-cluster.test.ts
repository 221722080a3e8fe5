import { SETTINGS } from '@hookline/server/settings'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { natsProgram } from '@hookline/testing/cluster/programs'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { readRepositoryFile } from '@hookline/testing/repository'
import { configOf, expectComposeFile } from './compose-file.ts'

interface Service {
  readonly environment: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly secrets?: readonly string[]
  readonly stop_grace_period: string
  readonly ulimits: { readonly nofile: number }
  readonly networks: { readonly inside: { readonly ipv4_address: string } }
}

const FILE = 'deploy/compose.cluster.yaml'
const { services, secrets } = parse(readRepositoryFile(FILE), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}
const named = (beginning: string) =>
  Object.entries(services).filter(([name]) => name.startsWith(beginning))
const nodes = named('node-').map(([, node]) => node)

/** The contents of the files in docs/guides/cluster.md. */
const CONTENTS: Readonly<Record<string, string>> = {
  'admin-token': 'tok_of_compose',
  'encryption-key': Buffer.alloc(32).toString('base64'),
  'database-url': 'postgres://hookline:secret@postgres/hookline',
  'nats-url': 'nats://token@nats-1:4222,nats://nats-2:4222,nats://nats-3:4222',
}

describe(FILE, () => {
  it('conforms to the Compose specification', ({ skip }) =>
    expectComposeFile(readRepositoryFile(FILE), skip))

  it('has three nodes and three NATS servers, and stores each event on all NATS servers', () => {
    expect(nodes).toHaveLength(3)
    expect(
      named('nats-').map(([name, { environment }]) => [name, environment['NATS_NAME']]),
    ).toEqual([1, 2, 3].map((number) => [`nats-${number}`, `nats-${number}`]))
    for (const { environment } of nodes) expect(environment['HOOKLINE_NATS_REPLICAS']).toBe('3')
  })

  it('uses only existing settings and declared secrets', () => {
    using folder = new TemporaryFolder()
    for (const [name, content] of Object.entries(CONTENTS))
      writeFileSync(join(folder.path, name), content)
    for (const node of nodes) {
      const config = configOf(node, folder.path)
      expect(config.backend).toBe('cluster')
      expect(config.databaseUrl?.reveal()).toBe(CONTENTS['database-url'])
      expect(config.natsUrl?.reveal()).toBe(CONTENTS['nats-url'])
      expect(node.secrets).toEqual(Object.keys(CONTENTS))
    }
    const used = Object.values(services).flatMap((service) => service.secrets ?? [])
    expect(Object.keys(secrets).toSorted()).toEqual([...new Set(used)].toSorted())
    for (const { file } of Object.values(secrets)) expect(file).toMatch(/^\.\/secrets\//)
  })

  it('publishes nodes only to this machine, and neither NATS nor PostgreSQL', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port] as const),
    )
    const open = published.filter(([, port]) => !port.startsWith('127.0.0.1:'))
    expect(open.map(([name]) => name)).toEqual(['proxy', 'proxy'])
    expect(new Set(published.map(([, port]) => port)).size).toBe(published.length)
    expect(published.filter(([name]) => /nats|postgres/.test(name))).toEqual([])
  })

  it('trusts the proxy, which lists every node', () => {
    const { environment, networks } = services['proxy']!
    for (const node of nodes)
      expect(node.environment['HOOKLINE_TRUSTED_PROXIES']).toBe(
        `${networks.inside.ipv4_address}/32`,
      )
    const upstreams = named('node-').map(([name]) => `${name}:4800`)
    expect(environment['HOOKLINE_UPSTREAM']).toBe(upstreams.join(' '))
  })

  it('gives the nodes the stop timeout and open-file limit that their settings require', () => {
    const stopMs = SETTINGS.shutdownTimeoutMs.parse(SETTINGS.shutdownTimeoutMs.default)
    for (const node of nodes) {
      expect(Number.parseInt(node.stop_grace_period, 10) * 1000).toBeGreaterThan(stopMs + 5_000)
      expect(node.ulimits.nofile).toBe(Number(SETTINGS.maxOpenFiles.default))
    }
  })
})

it.skipIf(natsProgram() === undefined)(
  'nats-server accepts deploy/nats.conf with its token file',
  () => {
    using folder = new TemporaryFolder()
    // The same paths as in the container, below the temporary folder.
    const places = {
      config: join(folder.path, 'etc/nats'),
      secrets: join(folder.path, 'run/secrets'),
    }
    for (const place of Object.values(places)) mkdirSync(place, { recursive: true })
    const file = join(places.config, 'nats.conf')
    writeFileSync(file, readRepositoryFile('deploy/nats.conf'))
    const authorization = join(places.secrets, 'nats-authorization')
    const check = () =>
      spawnSync(natsProgram()!, ['-t', '-c', file], {
        encoding: 'utf8',
        env: { ...process.env, NATS_NAME: 'nats-1' },
      })
    expect(check().status).toBe(1)
    writeFileSync(authorization, 'authorization { token: "a-token" }\n')
    const { status, stderr } = check()
    expect(stderr).toContain('configuration file')
    expect(status).toBe(0)
  },
)
