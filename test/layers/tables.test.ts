import { describe, expect, it } from 'vitest'
import { FILE_NAMES } from '../../layers/files.ts'
import { COMPONENT_NAMES } from '../../layers/components.ts'
import { SUBFOLDERS } from '../../layers/subfolders.ts'
import { WORKSPACE_NAMES } from '../../layers/workspaces.ts'
import { repositoryFiles } from '@hookline/testing/repository'

const SERVER = 'packages/server/src'

describe('the tables of layers', () => {
  it('list every folder of the server, and no others', () => {
    const engines = foldersOf(`${SERVER}/backend`).map((name) => `backend/${name}`)
    expect([...foldersOf(SERVER), ...engines].toSorted()).toEqual(COMPONENT_NAMES.toSorted())
  })

  it('list every file next to service.ts, and no others', () => {
    const files = filesBelow(SERVER).filter((path) => !path.includes('/'))
    expect(files.toSorted()).toEqual(FILE_NAMES.toSorted())
  })

  it('list every subfolder of a component, and no others', () => {
    // The folders below the ports are components.
    const components = COMPONENT_NAMES.filter((name) => name !== 'backend')
    const subfolders = components.flatMap((component) =>
      foldersOf(`${SERVER}/${component}`).map((subfolder) => `${component}/${subfolder}`),
    )
    const known = Object.entries(SUBFOLDERS).flatMap(([component, names]) =>
      Object.keys(names).map((subfolder) => `${component}/${subfolder}`),
    )
    expect(subfolders.toSorted()).toEqual(known.toSorted())
  })

  it('list every workspace except the test harness, which may import all of them', () => {
    const workspaces = foldersOf('packages').filter((name) => name !== 'testing')
    expect(workspaces.toSorted()).toEqual(WORKSPACE_NAMES.toSorted())
  })
})

/** The paths of all files below a folder, relative to it. */
function filesBelow(folder: string): string[] {
  return repositoryFiles(folder).map((path) => path.slice(folder.length + 1))
}

/** The subfolders that contain files. */
function foldersOf(folder: string): string[] {
  const nested = filesBelow(folder).filter((path) => path.includes('/'))
  return [...new Set(nested.map((path) => path.split('/')[0]!))]
}
