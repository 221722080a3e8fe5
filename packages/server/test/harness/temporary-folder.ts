import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that goes with its scope. */
export class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'hookline-test-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}
