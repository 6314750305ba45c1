// On a telephone the pages stand in one line that scrolls: the one that is open is in view.
document.querySelector(".bar [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });
