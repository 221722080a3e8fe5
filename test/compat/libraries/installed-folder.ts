import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../harness/run.ts'
import type { Installation } from './library.ts'

const CACHE = process.env['HOOKLINE_COMPAT_CACHE'] ?? join(tmpdir(), 'hookline-compat')

/** The first tool that an installation needs and this machine lacks, or `undefined`. */
export async function missingProgram({ needs }: Installation): Promise<string | undefined> {
  for (const [program = '', ...args] of needs) {
    const isThere = await run(program, args).then(
      () => true,
      () => false,
    )
    if (!isThere) return program
  }
  return undefined
}

/** The folder of an installation. Installs first if the cache has none for this manifest and lockfile. */
export async function installedFolder(installation: Installation): Promise<string> {
  const hash = createHash('sha256').update(`${process.arch} ${process.version}`)
  for (const file of installation.files) hash.update(await readFile(file))
  const folder = join(CACHE, `${installation.name}-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(folder)) return folder

  await mkdir(CACHE, { recursive: true })
  const unfinished = await mkdtemp(join(CACHE, 'unfinished-'))
  try {
    await installation.install(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process may have installed it in the meantime.
    if (!existsSync(folder)) throw error
  }
  return folder
}
