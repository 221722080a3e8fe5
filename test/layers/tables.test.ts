import { describe, expect, it } from 'vitest'
import { FILE_NAMES } from '../../layers/files.ts'
import { COMPONENTS } from '../../layers/components.ts'
import { ROOMS } from '../../layers/rooms.ts'
import { WORKSPACES } from '../../layers/workspaces.ts'
import { repositoryFiles } from '@hookline/testing/repository'

const SERVER = 'packages/server/src'

// Once the folder of a planned component is there, the mark has to go; once it is removed, the component has to.
describe('the tables of layers', () => {
  it('know every folder of the server, and no other but planned ones', () => {
    const engines = foldersOf(`${SERVER}/backend`).map((name) => `backend/${name}`)
    expect([...foldersOf(SERVER), ...engines].toSorted()).toEqual(namesOf(COMPONENTS))
  })

  it('know every file beside service.ts, and no other', () => {
    const files = filesBelow(SERVER).filter((path) => !path.includes('/'))
    expect(files.toSorted()).toEqual(FILE_NAMES.toSorted())
  })

  it('know every room of a component, and no other', () => {
    // What is below the ports are components.
    const components = namesOf(COMPONENTS).filter((name) => name !== 'backend')
    const rooms = components.flatMap((component) =>
      foldersOf(`${SERVER}/${component}`).map((room) => `${component}/${room}`),
    )
    const known = Object.entries(ROOMS).flatMap(([component, names]) =>
      Object.keys(names).map((room) => `${component}/${room}`),
    )
    expect(rooms.toSorted()).toEqual(known.toSorted())
  })

  it('know every workspace but the harness, which may import all of them', () => {
    const workspaces = foldersOf('packages').filter((name) => name !== 'testing')
    expect(workspaces.toSorted()).toEqual(namesOf(WORKSPACES))
  })
})

/** The paths of all files below a folder, from that folder on. */
function filesBelow(folder: string): string[] {
  return repositoryFiles(folder).map((path) => path.slice(folder.length + 1))
}

/** The folders of a folder that hold files. */
function foldersOf(folder: string): string[] {
  const nested = filesBelow(folder).filter((path) => path.includes('/'))
  return [...new Set(nested.map((path) => path.split('/')[0]!))]
}

/** The names in a table of what is there already. */
function namesOf(table: Readonly<Record<string, { readonly planned?: true }>>): string[] {
  const names = Object.entries(table).filter(([, { planned }]) => planned !== true)
  return names.map(([name]) => name).toSorted()
}
