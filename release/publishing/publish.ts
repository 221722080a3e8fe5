import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { run } from '../command.ts'
import { ROOT } from '../packages.ts'
import type { Tarball } from '../packing/tarballs.ts'

/**
 * Publishes the tarballs one after the other. Skips packages that an interrupted release has published.
 * @throws {Error} if the published package is not this tarball: a release must not mix two builds
 */
export async function publish(tarballs: readonly Tarball[], version: string): Promise<void> {
  for (const { name, file } of tarballs) {
    const release = `@hookline/${name}@${version}`
    const published = await publishedIntegrity(release)
    if (published === undefined) await npmPublish(file)
    else if (published === integrityOf(file)) console.log(`${release} is already published.`)
    else throw new Error(`${release} was published from a different build. Bump the version.`)
  }
}

/** npm reports a package that does not exist as an error, and a version that does not exist by printing nothing. */
async function publishedIntegrity(release: string): Promise<string | undefined> {
  try {
    const { stdout } = await run('npm', ['view', release, 'dist.integrity'], { cwd: ROOT })
    return stdout.trim() || undefined
  } catch (error) {
    if ((error as Error).message.includes('E404')) return undefined
    throw error
  }
}

/** The hash of a file in the format of npm registries (Subresource Integrity). */
function integrityOf(file: string): string {
  return `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
}

/** npm may ask for a one-time password, so it has the terminal. */
async function npmPublish(file: string): Promise<void> {
  const child = spawn('npm', ['publish', file], { cwd: ROOT, stdio: 'inherit' })
  const [code] = (await once(child, 'close')) as [number | null]
  if (code !== 0) throw new Error(`npm publish ${file} exited with ${code ?? 'a signal'}.`)
}
