import type { ReactElement } from 'react'
import { PageHeading } from '../../shell/page-heading.tsx'

export function LivePage(): ReactElement {
  return <PageHeading title="Live" />
}
