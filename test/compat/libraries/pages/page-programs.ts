import { copyFile, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { REPOSITORY } from '@hookline/testing/repository'
import { run } from '../../harness/run.ts'
import { bundle } from '../browser/bundle.ts'
import { BROWSER_LIBRARIES } from '../browser/libraries.ts'
import { GO_LIBRARIES } from '../go/libraries.ts'
import { JAVA_LIBRARIES } from '../java/libraries.ts'
import type { Installation } from '../library.ts'
import { NODE_LIBRARIES } from '../node/libraries.ts'
import { PYTHON_LIBRARIES } from '../python/libraries.ts'
import { RUST_LIBRARIES } from '../rust/libraries.ts'
import { openPage } from './open-page.ts'

/** An example program on a page of `docs/clients`, and how to run it with the installed libraries. */
export interface PageProgram {
  readonly page: string
  /** The language of its code block. */
  readonly language: string
  /** A line that identifies the code block on the page. */
  readonly has: string
  readonly installation: Installation
  /** Runs the code. `installed` is the folder of the installation; `folder` is empty. */
  run(code: string, at: { readonly folder: string; readonly installed: string }): Promise<void>
}

const GO_MODULE = fileURLToPath(new URL('../go', import.meta.url))
/** A module that requires `clients/go`. */
const OUR_GO_MODULE = join(REPOSITORY, 'test/clients/adapters/go')
const CRATE = fileURLToPath(new URL('../rust', import.meta.url))

export const PAGE_PROGRAMS: readonly PageProgram[] = [
  {
    page: 'node.md',
    language: 'js',
    has: "from '@segment/analytics-node'",
    installation: NODE_LIBRARIES[0]!.installation,
    async run(code, { folder }) {
      await symlink(join(REPOSITORY, 'node_modules'), join(folder, 'node_modules'))
      await writeFile(join(folder, 'program.mjs'), code)
      await run(process.execPath, ['program.mjs'], { cwd: folder })
    },
  },
  {
    page: 'browser.md',
    language: 'js',
    has: "from '@segment/analytics-next'",
    installation: BROWSER_LIBRARIES[0]!.installation,
    async run(code, { folder, installed }) {
      await symlink(join(installed, 'node_modules'), join(folder, 'node_modules'))
      await writeFile(join(folder, 'program.js'), code)
      await bundle(join(folder, 'program.js'), join(folder, 'bundle.js'))
      await openPage(join(folder, 'bundle.js'))
    },
  },
  {
    page: 'python.md',
    language: 'python',
    has: 'import segment.analytics as analytics',
    installation: PYTHON_LIBRARIES[0]!.installation,
    async run(code, { folder, installed }) {
      const file = join(folder, 'shop.py')
      await writeFile(file, code)
      const { env = {} } = PYTHON_LIBRARIES[0]!.command(installed)
      await run('python3', [file], { env })
    },
  },
  {
    page: 'go.md',
    language: 'go',
    has: '"hookline.dev/clients/go"',
    installation: GO_LIBRARIES[0]!.installation,
    run: (code, { folder }) => runGo(code, folder, OUR_GO_MODULE),
  },
  {
    page: 'go.md',
    language: 'go',
    has: '"github.com/segmentio/analytics-go/v3"',
    installation: GO_LIBRARIES[0]!.installation,
    run: (code, { folder }) => runGo(code, folder, GO_MODULE),
  },
  {
    page: 'java.md',
    language: 'java',
    has: 'public class Shop',
    installation: JAVA_LIBRARIES[0]!.installation,
    async run(code, { folder, installed }) {
      const file = join(folder, 'Shop.java')
      await writeFile(file, code)
      await run('java', ['-cp', `${installed}/3.5.4/libraries/*`, file])
    },
  },
  {
    page: 'rust.md',
    language: 'rust',
    has: 'async fn main()',
    installation: RUST_LIBRARIES[0]!.installation,
    async run(code, { folder, installed }) {
      for (const file of ['Cargo.toml', 'Cargo.lock']) {
        await copyFile(join(CRATE, file), join(folder, file))
      }
      await mkdir(join(folder, 'src'))
      await writeFile(join(folder, 'src/main.rs'), code)
      // Shared by all runs, so that the libraries are compiled once.
      const target = join(installed, 'target')
      await run('cargo', ['run', '--locked', '--quiet', '--target-dir', target], { cwd: folder })
    },
  },
]

/** Runs a Go program with the libraries that the module in `cwd` requires. */
async function runGo(code: string, folder: string, cwd: string): Promise<void> {
  const file = join(folder, 'main.go')
  await writeFile(file, code)
  await run('go', ['run', '-mod=readonly', file], { cwd })
}
