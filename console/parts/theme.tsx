/** Light or dark, as the system is set or as chosen here. */
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';

const THEMES: readonly Theme[] = ['system', 'light', 'dark'];
const KEY = 'theme';
const DARK = '(prefers-color-scheme: dark)';

export interface Themed {
  theme: Theme;
  choose(theme: Theme): void;
  /** True if the page is shown in dark colours. */
  isDark: boolean;
}

export function useTheme(): Themed {
  const [theme, setTheme] = useState<Theme>(remembered);
  const [isSystemDark, setSystemDark] = useState(() => matchMedia(DARK).matches);
  useEffect(() => {
    const media = matchMedia(DARK);
    const follow = (): void => setSystemDark(media.matches);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, []);
  // Not in an effect: charts read their colours while they are drawn.
  document.documentElement.dataset['theme'] = theme;
  return {
    theme,
    choose(chosen) {
      localStorage.setItem(KEY, chosen);
      setTheme(chosen);
    },
    isDark: theme === 'system' ? isSystemDark : theme === 'dark',
  };
}

function remembered(): Theme {
  const theme = localStorage.getItem(KEY) as Theme | null;
  return theme !== null && THEMES.includes(theme) ? theme : 'system';
}

export function ThemeChoice({ theme, choose }: Pick<Themed, 'theme' | 'choose'>) {
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select value={theme} onChange={(event) => choose(event.currentTarget.value as Theme)}>
        <option value="system">System colours</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}
