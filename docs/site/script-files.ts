import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const INLINE = /<script(?![^>]*\ssrc=)([^>]*)>([^]*?)<\/script>/g

/** Moves the inline scripts of a page into files in `folder`, so that its Content-Security-Policy needs no exception. */
export function moveScripts(html: string, folder: string, base: string): string {
  return html.replaceAll(INLINE, (_script, attributes: string, code: string) => {
    const digest = createHash('sha256').update(code).digest('hex').slice(0, 8)
    const name = `assets/inline.${digest}.js`
    mkdirSync(join(folder, 'assets'), { recursive: true })
    writeFileSync(join(folder, name), code)
    return `<script${attributes} src="${base}${name}"></script>`
  })
}
