import { createRoot } from 'react-dom/client'
import { Agent } from './agent.jsx'
import { useWallet } from './use-wallet.js'

function App() {
  const { wallets, signer, connect } = useWallet()
  if (signer !== null) return <Agent signer={signer} />
  if (wallets.length === 0) return <p>Install a wallet for Solana.</p>
  return wallets.map((wallet) => (
    <button key={wallet.name} onClick={() => connect(wallet)}>
      Connect {wallet.name}
    </button>
  ))
}

createRoot(document.getElementById('root')).render(<App />)
