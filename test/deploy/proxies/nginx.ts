import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCertificates } from '@hookline/testing/network/certificates'
import { readRepositoryFile } from '@hookline/testing/repository'
import { freePort } from '@hookline/testing/network/free-port'
import type { PrepareProxy } from './proxy.ts'

/** nginx with deploy/nginx.conf. Only ports, the addresses of the service, and file paths are replaced. */
export const nginx: PrepareProxy = async ({ path }, { port, adminPort }) => {
  const { ca, good } = makeCertificates()
  const ports = { calls: await freePort(), admin: await freePort() }
  const site = changed(readRepositoryFile('deploy/nginx.conf'), [
    ['127.0.0.1:4800', `127.0.0.1:${port}`],
    ['127.0.0.1:4802', `127.0.0.1:${adminPort}`],
    ['listen 443 ', `listen 127.0.0.1:${ports.calls} `],
    ['listen 8443 ', `listen 127.0.0.1:${ports.admin} `],
    ['/etc/ssl/hookline/', `${path}/`],
    ['/var/log/nginx/', `${path}/`],
  ])
  for (const name of ['events', 'admin']) {
    writeFileSync(join(path, `${name}.pem`), good.cert)
    writeFileSync(join(path, `${name}.key`), good.key)
  }
  writeFileSync(join(path, 'site.conf'), site)
  writeFileSync(join(path, 'nginx.conf'), main(path))
  const args = ['-e', 'stderr', '-c', join(path, 'nginx.conf'), '-p', path]
  return { program: 'nginx', args, ports, ca: () => ca }
}

/** The main file, which distributions provide. */
function main(path: string): string {
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const places = folders.map((name) => `${name}_temp_path ${path}/${name};`).join(' ')
  return `daemon off; pid ${path}/nginx.pid; worker_processes 1;
events { worker_connections 256; }
http { ${places} include ${path}/site.conf; }
`
}

function changed(text: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`deploy/nginx.conf has no ${from}`)
    return result.replaceAll(from, to)
  }, text)
}
