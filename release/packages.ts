import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The published packages, each after its dependencies. */
export const PACKAGES = ['protocol', 'client', 'server', 'cli'] as const

export type PackageName = (typeof PACKAGES)[number]

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly files?: readonly string[]
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly scripts?: Readonly<Record<string, string>>
}

/** These packages and those they depend on, each after its dependencies. */
export function withDependencies(names: readonly PackageName[]): readonly PackageName[] {
  const dependencies = names.flatMap((name) => {
    const { dependencies: all = {} } = readManifest(packageFolder(name))
    return PACKAGES.filter((each) => Object.hasOwn(all, `@hookline/${each}`))
  })
  const needed = PACKAGES.filter((each) => names.includes(each) || dependencies.includes(each))
  return needed.length === names.length ? needed : withDependencies(needed)
}

export function packageFolder(name: PackageName): string {
  return `${ROOT}packages/${name}`
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest
}
