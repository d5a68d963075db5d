import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { MarkdownChat } from "./context";
import { Markdown } from "./Markdown";

it("draws what GitHub's Markdown has", () => {
  const { container } = render(
    <Markdown
      text={
        "# Head\n\nA **b** _i_ ~~d~~ `c` <https://example.org>\n\n- [x] done\n- [ ] open\n\n| a | b |\n|:-|-:|\n| 1 | 2 |\n\n> q\n\n1. x\n2. y\n"
      }
    />,
  );
  expect(screen.getByRole("heading", { level: 3 })).toHaveTextContent("Head");
  expect(screen.getByRole("link")).toHaveAttribute("rel", "noopener noreferrer nofollow");
  expect(screen.getAllByRole("checkbox")[0]).toBeChecked();
  expect(screen.getByRole("table")).toBeInTheDocument();
  expect(container.querySelectorAll("strong, em, del, blockquote, ol")).toHaveLength(5);
});

it.each([
  "<script>window.hit = 1</script>",
  '<img src="x" onerror="window.hit = 1">',
  "![x](javascript:alert(1))",
  "![x](https://example.org/track.png)",
  "[x](javascript:alert(1))",
  "[x](data:text/html,<script>1</script>)",
  '<a href="javascript:alert(1)" onclick="x()">x</a>',
  '<iframe src="https://example.org"></iframe>',
  "<svg/onload=alert(1)>",
  "[a]: javascript:alert(1)\n\n[a]",
  '<style>@import "https://example.org/x.css"</style>',
])("makes nothing of the page out of %s", (text) => {
  const { container } = render(<Markdown text={text} />);
  expect(container.querySelector("script, img, iframe, svg, style, object, embed, form")).toBeNull();
  for (const link of container.querySelectorAll("a")) {
    expect(new URL(link.href).protocol).toMatch(/^(https?|mailto):$/);
  }
  for (const element of container.querySelectorAll("*")) {
    expect(element.getAttributeNames().filter((name) => name.startsWith("on"))).toEqual([]);
  }
});

it("shows raw HTML as the text that it is", () => {
  render(<Markdown text={"before <b>not bold</b> after"} />);
  expect(screen.getByText(/<b>/)).toBeInTheDocument();
});

it("completes what is still being written", () => {
  const { container, rerender } = render(<Markdown text="a **bol" streaming />);
  expect(container.querySelector("strong")).toHaveTextContent("bol");
  rerender(<Markdown text="a **bold** b" streaming />);
  expect(container.querySelector("strong")).toHaveTextContent("bold");
});

it("draws no heading before its words come", () => {
  const { rerender } = render(<Markdown text={"a\n\n## "} streaming />);
  expect(screen.queryByRole("heading")).toBeNull();
  rerender(<Markdown text={"a\n\n## Words"} streaming />);
  expect(screen.getByRole("heading")).toHaveTextContent("Words");
});

it("resolves links that are defined after they are used", () => {
  render(<Markdown text={"see [the page][p]\n\nmore\n\n[p]: https://example.org/x"} />);
  expect(screen.getByRole("link", { name: "the page" })).toHaveAttribute("href", "https://example.org/x");
});

it("draws formulas, and shows one that cannot be set as it was written", async () => {
  const { container } = render(
    <Markdown text={"so $x_1$ and\n\n$$\n\\frac{1}{2}\n$$\n\n\\(\\nonsense{\\) costs $5"} />,
  );
  await waitFor(() => expect(container.querySelectorAll(".katex")).toHaveLength(2), { timeout: 10_000 });
  expect(container.querySelectorAll(".katex-display")).toHaveLength(1);
  expect(screen.getByText("\\nonsense{")).toHaveAttribute("title");
  expect(screen.getByText(/costs \$5/)).toBeInTheDocument();
});

it("leaves signs in code, addresses and pictures as they were written", () => {
  render(<Markdown text={"`$a$` ![$b$](x) [l](https://example.org/$c$)\n\n    $d$\n"} />);
  expect(screen.getByText("$a$")).toBeInTheDocument();
  expect(screen.getByText("$b$")).toBeInTheDocument();
  expect(screen.getByText("$d$")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "l" })).toHaveAttribute("href", "https://example.org/$c$");
});

it.each([
  ["**「强调」**后面", "「强调」"],
  ["这是**重点（注）。**然后", "重点（注）。"],
  ["これは**「強調」**です", "「強調」"],
  ["**값(단위)**은", "값(단위)"],
])("knows emphasis beside the marks of other scripts: %s", (text, strong) => {
  const { container } = render(<Markdown text={text} />);
  expect(container.querySelector("strong")).toHaveTextContent(strong);
});

it("puts footnotes at the end, with the ways there and back", async () => {
  render(<Markdown text={"one[^a] two[^b]\n\n[^a]: first *note*\n[^b]: second\n"} />);
  expect(screen.getByRole("region", { name: "Footnotes" })).toHaveTextContent("first note");
  await userEvent.click(screen.getByRole("button", { name: "Footnote 2" }));
  expect(document.activeElement).toHaveTextContent("second");
  await userEvent.click(screen.getByRole("button", { name: /Back to where footnote 1/ }));
  expect(document.activeElement).toHaveAccessibleName("Footnote 1");
});

it("loads no picture from elsewhere, and says so; one of this chat can be seen larger", async () => {
  const chat = `c_${"0".repeat(26)}`;
  const blob = `/api/chats/${chat}/blobs/${"a".repeat(64)}`;
  const { container } = render(
    <MarkdownChat value={chat}>
      <Markdown text={`![far](https://example.org/x.png) ![near](${blob})`} />
    </MarkdownChat>,
  );
  expect([...container.querySelectorAll("img")].map((img) => img.getAttribute("src"))).toEqual([blob]);
  expect(screen.getByText(/not loaded/)).toBeInTheDocument();
  await userEvent.click(screen.getByRole("button", { name: "Show larger: near" }));
  expect(await screen.findByRole("dialog", { name: "near" })).toBeInTheDocument();
});

it("keeps a selection in a text that goes on", () => {
  const { rerender } = render(<Markdown text="some words" streaming />);
  const node = document.querySelector("p")?.querySelector("span")?.firstChild;
  if (!(node instanceof Text)) throw new Error("no text");
  const selection = document.getSelection();
  selection?.setBaseAndExtent(node, 5, node, 10);
  rerender(<Markdown text="some words that go on" streaming />);
  expect(selection?.toString()).toBe("words");
  rerender(<Markdown text="some words that go on, to their end." />);
  expect(selection?.toString()).toBe("words");
  expect(document.querySelector("p")).toHaveTextContent("some words that go on, to their end.");
});
