import { readFileSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Writes a gzipped copy next to each file, for browsers that accept it. */
export function compress(): Plugin {
  return {
    name: 'compress',
    apply: 'build',
    writeBundle({ dir }, files) {
      for (const name of Object.keys(files)) {
        if (!/\.(js|css)$/.test(name)) continue
        const file = `${dir}/${name}`
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
      }
    },
  }
}
