import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { outputOf, pathOf } from '../programs.ts'

/** The programs that the Dockerfile calls, besides Node and npm. */
const PROGRAMS = ['sh', 'env', 'ln', 'install', 'find', 'rm']

/** Writes the root file system of a base image for deploy/Dockerfile, with programs from this machine. */
export function writeBaseFiles(root: string): void {
  for (const folder of ['usr/bin', 'usr/local/bin', 'usr/local/etc', 'usr/lib', 'usr/lib64'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const folder of ['etc/ssl/certs', 'proc', 'dev', 'tmp', 'root', 'npm-cache'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const folder of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${folder}`, join(root, folder))
  const programs = PROGRAMS.map((name) => [pathOf(name)!, join(root, 'usr/bin', name)] as const)
  const node = [process.execPath, join(root, 'usr/local/bin/node')] as const
  for (const [from, to] of [...programs, node]) copy(from, to)
  for (const library of librariesOf([...programs, node].map(([from]) => from)))
    copy(library, join(root, library))
  addNpm(root)
  addAccounts(root)
}

function addNpm(root: string): void {
  const npm = dirname(dirname(realpathSync(pathOf('npm')!)))
  cpSync(npm, join(root, 'usr/lib/npm'), { recursive: true })
  symlinkSync('/usr/lib/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  // The packages are in this machine's npm cache, because npm has installed the repository.
  writeFileSync(join(root, 'usr/local/etc/npmrc'), 'prefer-offline=true\ncache=/npm-cache\n')
  const authorities = process.env['NODE_EXTRA_CA_CERTS']
  if (authorities !== undefined) copy(authorities, join(root, 'etc/ssl/certs/ca-certificates.crt'))
}

function addAccounts(root: string): void {
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n',
  )
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
}

function librariesOf(programs: readonly string[]): string[] {
  const listed = programs.map((program) => outputOf('ldd', [program])).join('')
  const libraries = [...new Set([...listed.matchAll(/\/lib\S*/g)].map(([path]) => path))]
  // The rest of the C library, for programs that npm installs.
  const c = libraries.find((path) => path.endsWith('/libc.so.6'))!
  return [...libraries, join(dirname(c), 'librt.so.1')]
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  execFileSync('cp', ['-L', from, to])
}
