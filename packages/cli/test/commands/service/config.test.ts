import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { errorOf, run } from '@hookline/testing/cli/hookline'

let folder: TemporaryFolder
beforeEach(() => {
  folder = new TemporaryFolder()
})
afterEach(() => folder[Symbol.dispose]())

describe('hookline config', () => {
  it('shows the value and origin of every setting, and hides secrets', async () => {
    const file = join(folder.path, 'hookline.yaml')
    writeFileSync(file, 'webhook-queue-size: 7\n')
    const wrong = await run(['config', '--config', file, '--json'])
    expect([wrong.code, errorOf(wrong)['message']]).toEqual([
      2,
      expect.stringContaining('did you mean webhookQueueSize?'),
    ])
    writeFileSync(file, 'retentoin: 1d\n')
    const near = await run(['config', '--config', file, '--json'])
    expect(errorOf(near)['message']).toContain('did you mean retention?')
    writeFileSync(file, 'webhookQueueSize: 7\nadminToken: tok_planted\n')
    const env = { HOOKLINE_CONFIG: file, HOOKLINE_HOST: '::1' }
    const { stdout } = await run(['config', '--port', '9'], { env })
    expect(stdout).toMatch(new RegExp(`^webhookQueueSize +7 +${file}$`, 'm'))
    expect(stdout).toMatch(/^host +::1 +HOOKLINE_HOST$/m)
    expect(stdout).toMatch(/^port +9 +--port$/m)
    expect(stdout).toMatch(/^retention +7d +default$/m)
    expect(stdout).toMatch(/^adminToken +hidden /m)
    expect(stdout).not.toContain('planted')
  })
})
