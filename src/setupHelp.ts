/** What to do next, for a first start without a configuration. */
export function setupHelp(): string {
  return `
The service needs an account that pays the network fees of the payments it settles.

On a local network, with nothing but this folder:
  npm run sandbox          in another terminal; it prints the lines to paste

On the Stellar testnet:
  1. Make a key:
     npx node -e "import('@stellar/stellar-sdk').then(({ Keypair }) => { const k = Keypair.random(); console.log(k.publicKey(), k.secret()) })"
  2. Fund it with test lumens, with the public key (G…):
     curl "https://friendbot.stellar.org/?addr=G…"
  3. Start, with the secret key (S…):
     SUBMITTER_SECRET=S… npm start
`;
}
