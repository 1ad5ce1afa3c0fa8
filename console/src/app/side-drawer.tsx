import { Drawer } from '../components/dialog.tsx'
import { Sidebar } from './sidebar.tsx'

/** The sidebar on narrow screens. */
export const SideDrawer = ({ onClose }: { onClose: () => void }) => (
  <Drawer isOpen title="Menu" side="left" onClose={onClose}>
    <Sidebar onGone={onClose} />
  </Drawer>
)
