import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from './build.ts'
import { run } from '../command.ts'
import { PACKAGES, type PackageName, packageFolder, readManifest, ROOT } from '../packages.ts'
import { copyPublishedFiles } from './published-files.ts'

/** Where `npm run pack` and `npm run release` leave the tarballs. */
export const TARBALLS = `${ROOT}tarballs`

/** Builds packages, by default all, and packs them into `folder`. Other files in it stay. */
export async function makeTarballs(
  folder: string,
  names: readonly PackageName[] = PACKAGES,
): Promise<Tarball[]> {
  await build(names)
  mkdirSync(folder, { recursive: true })
  return Promise.all(names.map((name) => pack(name, folder)))
}

export interface Tarball {
  readonly name: PackageName
  readonly file: string
  /** The paths of the files in it. */
  readonly entries: readonly string[]
  readonly bytes: number
}

async function pack(name: PackageName, folder: string): Promise<Tarball> {
  const staging = mkdtempSync(join(tmpdir(), 'hookline-pack-'))
  try {
    const copy = join(staging, name)
    copyPublishedFiles(packageFolder(name), readManifest(packageFolder(name)), copy)
    const { stdout } = await run('npm', ['pack', copy, '--json'], { cwd: staging })
    const { filename, files, size } = packed(stdout)
    const file = join(folder, `${name}.tgz`)
    copyFileSync(join(staging, filename), file)
    return { name, file, entries: files.map(({ path }) => path), bytes: size }
  } finally {
    rmSync(staging, { recursive: true })
  }
}

interface Packed {
  readonly filename: string
  readonly size: number
  readonly files: readonly { readonly path: string }[]
}

/** npm 11 prints a list, npm 12 an object by name. */
function packed(json: string): Packed {
  return Object.values(JSON.parse(json) as Record<string, Packed>)[0]!
}
