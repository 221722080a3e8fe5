import type { ReactElement } from 'react'
import { useUrlState } from '../../shell/url-state.ts'
import { ComputationPage } from './detail/computation-page.tsx'
import { ListPage } from './list/list-page.tsx'
import { NewPage } from './list/new-page.tsx'
import { AUDIENCES, TRAITS } from './record/computation-kind.ts'

/** The list, an open record or a new one, depending on the URL. */
export function AudiencesPage(): ReactElement {
  const [url] = useUrlState<'audience' | 'trait' | 'new'>()
  if (url.new !== undefined)
    return <NewPage kind={url.new === 'trait' ? TRAITS : AUDIENCES} key={url.new} />
  const id = url.audience ?? url.trait
  if (id === undefined) return <ListPage />
  return <ComputationPage kind={url.audience === undefined ? TRAITS : AUDIENCES} id={id} key={id} />
}
