import type { ReactElement } from 'react'
import { useUrlState } from '../../shell/url-state.ts'
import { ComputationPage } from './detail/computation-page.tsx'
import { ListPage } from './list/list-page.tsx'
import { NewPage } from './making/new-page.tsx'
import { AUDIENCES, TRAITS } from './record/computation-kind.ts'

/** All audiences and computed traits, the one that is open, or a new one: the URL says which. */
export function AudiencesPage(): ReactElement {
  const [{ audience, trait, new: making }] = useUrlState<'audience' | 'trait' | 'new'>()
  if (making !== undefined)
    return <NewPage kind={making === 'trait' ? TRAITS : AUDIENCES} key={making} />
  if (audience !== undefined)
    return <ComputationPage kind={AUDIENCES} id={audience} key={audience} />
  if (trait !== undefined) return <ComputationPage kind={TRAITS} id={trait} key={trait} />
  return <ListPage />
}
