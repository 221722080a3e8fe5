import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A new data folder, in HOOKLINE_TEST_DATA_DIR or, if unset, in the system's temporary folder.
 * Disposing of it removes it.
 */
export function temporaryDataDir(): Disposable & { readonly path: string } {
  const parent = process.env['HOOKLINE_TEST_DATA_DIR'] ?? tmpdir()
  const path = mkdtempSync(join(parent, 'hookline-bench-'))
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  // The folder may be large, so even an interrupted benchmark removes it.
  process.on('exit', remove)
  return {
    path,
    [Symbol.dispose]() {
      process.off('exit', remove)
      remove()
    },
  }
}
