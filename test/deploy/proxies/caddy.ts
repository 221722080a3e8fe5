import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readRepositoryFile } from '@hookline/testing/repository'
import { freePort } from '@hookline/testing/network/free-port'
import type { PrepareProxy } from './proxy.ts'

/** Caddy with deploy/Caddyfile, preceded by options for tests, such as ports other than 80 and 443. */
export const caddy: PrepareProxy = async ({ path }, { port, adminPort }) => {
  const ports = { calls: await freePort(), admin: await freePort() }
  const options = `{
	admin off
	skip_install_trust
	storage file_system ${path}/storage
	http_port ${await freePort()}
	https_port ${ports.calls}
`
  writeFileSync(
    join(path, 'Caddyfile'),
    readRepositoryFile('deploy/Caddyfile').replace(/^\{\n/m, () => options),
  )
  const env = {
    HOME: path,
    HOOKLINE_DOMAIN: 'localhost',
    HOOKLINE_UPSTREAM: `127.0.0.1:${port}`,
    HOOKLINE_ADMIN_SITE: `https://localhost:${ports.admin}`,
    HOOKLINE_ADMIN_UPSTREAM: `127.0.0.1:${adminPort}`,
  }
  const args = ['run', '--config', join(path, 'Caddyfile'), '--adapter', 'caddyfile']
  const ca = (): string =>
    readFileSync(join(path, 'storage/pki/authorities/local/root.crt'), 'utf8')
  return { program: 'caddy', args, env, ports, ca }
}
