import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { run } from '@hookline/testing/cli/hookline'

let folder: TemporaryFolder
beforeEach(() => {
  folder = new TemporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('hookline completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, stdout } = await run(['completion', shell])
    expect(code).toBe(0)
    expect(stdout).toContain('destinations')
    expect(stdout).toContain('--webhook')
  })

  it('completes in bash', async () => {
    const script = join(folder.path, 'completion.bash')
    writeFileSync(script, (await run(['completion', 'bash'])).stdout)
    const ask = `source ${script}; COMP_WORDS=(hookline sources cr); COMP_CWORD=2; _hookline; echo "$COMPREPLY"`
    expect(execFileSync('bash', ['-c', ask]).toString().trim()).toBe('create')
  })
})
