import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Manifest } from '../packages.ts'

const SOURCE_CONDITION = 'hookline-source'

/** Copies the published files of a built package to another folder. */
export function copyPublishedFiles(from: string, manifest: Manifest, to: string): void {
  mkdirSync(to)
  for (const name of [...(manifest.files ?? []), 'LICENSE'])
    cpSync(`${from}/${name}`, `${to}/${name}`, { recursive: true })
  writeFileSync(`${to}/README.md`, publishedReadme(readFileSync(`${from}/README.md`, 'utf8')))
  writeFileSync(`${to}/package.json`, JSON.stringify(publishedManifest(manifest), undefined, 2))
}

/** Removes entries that only a clone needs: scripts, and the export condition for the source. */
function publishedManifest({ scripts: _, exports, ...manifest }: Manifest): Manifest {
  if (exports === undefined) return manifest
  const published = Object.entries(exports).map(([entry, targets]) => {
    const { [SOURCE_CONDITION]: _source, ...others } = targets
    return [entry, others] as const
  })
  return { ...manifest, exports: Object.fromEntries(published) }
}

/** Replaces links to files outside of the package with their text, because they would be broken. */
function publishedReadme(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1')
}
