import { SETTINGS } from '@hookline/server/settings'
import { parseConfig } from '@hookline/server'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TemporaryFolder } from '@hookline/testing/files/temporary-folder'
import { CountingReceiver } from '@hookline/testing/receiver/counting-receiver'
import { read, REPOSITORY } from '@hookline/testing/repository'
import { ManagementApi } from '@hookline/testing/service/management-api'
import { needPrograms, needRoot, outputOf } from './programs.ts'
import { RestrictedService, TOKEN } from './unit/restricted-service.ts'
import { useOnce } from './use-once.ts'
import { environmentOf, UNIT, valuesOf } from './unit/unit-file.ts'

describe(UNIT, () => {
  it('has no fault that systemd finds', (context) => {
    needPrograms(context, 'systemd-analyze')
    using folder = new TemporaryFolder()
    const unit = join(folder.path, 'hookline.service')
    // The programs of this repository are in another place than those of an installed one.
    writeFileSync(unit, read(UNIT).replaceAll('/opt/hookline/', REPOSITORY))
    expect(outputOf('systemd-analyze', ['verify', '--man=no', unit])).toBe('')
    writeFileSync(unit, `${read(UNIT)}[Service]\nRestart=allways\n`)
    expect(() => outputOf('systemd-analyze', ['verify', '--man=no', unit])).toThrow()
  })

  it('is exposed by 1.5 of 10 at most', (context) => {
    needPrograms(context, 'systemd-analyze')
    const report = outputOf('systemd-analyze', ['security', '--offline=true', '--no-pager', UNIT])
    const [, level] = /Overall exposure level for \S+: (\S+)/.exec(report)!
    expect(Number(level)).toBeLessThanOrEqual(1.5)
  })

  it('sets only settings that there are, and fits to their defaults', () => {
    using folder = new TemporaryFolder()
    writeFileSync(join(folder.path, 'admin-token'), TOKEN)
    writeFileSync(join(folder.path, 'encryption-key'), Buffer.alloc(32).toString('base64'))
    expect(parseConfig(environmentOf(folder.path))).toMatchObject({ adminPort: 4802 })
    expect(valuesOf('LimitNOFILE')).toEqual([SETTINGS.maxOpenFiles.default])
    const [stop] = valuesOf('TimeoutStopSec')
    expect(Number.parseInt(stop!, 10) * 1000).toBeGreaterThan(
      SETTINGS.shutdownTimeoutMs.parse(SETTINGS.shutdownTimeoutMs.default) + 5_000,
    )
  })

  it('permits all that the service does', async (context) => {
    needRoot(context)
    needPrograms(context, 'systemd-analyze', 'strace', 'unshare', 'setpriv')
    await using receiver = await CountingReceiver.open({ random: () => 1, failing: 0 })
    await using service = await RestrictedService.start()
    const api = new ManagementApi(service.adminUrl, TOKEN)
    await useOnce({ url: service.url, api, receiver })
    expect((await api.request('GET', 'backup')).status).toBe(200)
    expect(await service.stop(), service.stderr).toBe(0)
    const permitted = valuesOf('RestrictAddressFamilies').join(' ').split(' ')
    const families = service.socketFamilies()
    expect(families).toContain('AF_INET')
    expect(families.filter((family) => !permitted.includes(family))).toEqual([])
    // SQLite gives files to their owner where it runs as root, and goes on where it may not.
    expect(service.refusedCalls().filter((name) => name !== 'fchown')).toEqual([])
  })
})
