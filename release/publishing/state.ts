import { readFileSync } from 'node:fs'
import { run } from '../command.ts'
import { type Manifest, PACKAGES, packageFolder, readManifest, ROOT } from '../packages.ts'
import type { ReleaseState } from './refusals.ts'

/** The state of this clone. */
export async function readState(): Promise<ReleaseState> {
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout.trimEnd()
  const { version } = readManifest(ROOT)
  return {
    version,
    versions: versionsIn(PACKAGES.map((name) => readManifest(packageFolder(name)))),
    changes: await git('status', '--porcelain'),
    tags: (await git('tag', '--points-at', 'HEAD')).split('\n'),
    changelog: readFileSync(`${ROOT}CHANGELOG.md`, 'utf8'),
  }
}

/** The version of each package, and the version of each other package that it depends on. */
export function versionsIn(manifests: readonly Manifest[]): Record<string, string | undefined> {
  const names = manifests.map(({ name }) => name)
  const places = manifests.flatMap(({ name, version, dependencies = {} }) => [
    [`The version of ${name}`, version],
    ...names
      .filter((other) => other in dependencies)
      .map((other) => [`The version of ${other} that ${name} needs`, dependencies[other]]),
  ])
  return Object.fromEntries(places) as Record<string, string | undefined>
}
